import { h } from 'preact';
import { StoryLine } from './story.tsx';

// The lines of a story in the order of time, with one lane for each actor. An arrow leads from
// the cause of a line to the line.

// rowHeight and laneWidth are in pixels. story.css has the same height of a row.
const rowHeight = 26, laneWidth = 30, dot = 4;

// An Effect is a line of a story with the line that caused it.
export interface Effect { line: StoryLine; cause: Effect | null }

// inTime returns the lines in the order of time.
export function inTime(lines: StoryLine[]): Effect[] {
  const above: Effect[] = [], all: Effect[] = [];
  for (const line of lines) {
    const effect = { line, cause: line.level > 0 ? above[line.level - 1] : null };
    above[line.level] = effect;
    all.push(effect);
  }
  return all.sort((a, b) => a.line.rank - b.line.rank);
}

// actorsOf returns the actors in the order in which they first act.
export const actorsOf = (effects: Effect[]) => [...new Set(effects.map((e) => e.line.actor))];

export const lanesWidth = (actors: string[]) => actors.length * laneWidth;

// Lanes draws the lanes beside the rows of the effects. The rows have the text, so a screen
// reader leaves the drawing out.
export function Lanes({ effects, actors, chosen }: { effects: Effect[]; actors: string[]; chosen: (e: Effect) => boolean }) {
  const row = new Map(effects.map((e, i) => [e, i]));
  const x = (e: Effect) => (actors.indexOf(e.line.actor) + 0.5) * laneWidth, y = (e: Effect) => (row.get(e)! + 0.5) * rowHeight;
  const height = effects.length * rowHeight;
  return (
    <svg class="lanes" aria-hidden="true" width={lanesWidth(actors)} height={height}>
      {actors.map((_, i) => <line class="lane" x1={(i + 0.5) * laneWidth} x2={(i + 0.5) * laneWidth} y1="0" y2={height} />)}
      {effects.map((e) => e.cause && <path class={'cause' + (chosen(e) || chosen(e.cause) ? ' of-chosen' : '')} d={arrow(x(e.cause), y(e.cause), x(e), y(e))} />)}
      {effects.map((e) => <circle class={(e.line.decided ? 'decided' : 'sent') + (e.line.failed ? ' failed' : '') + (chosen(e) ? ' chosen' : '')} cx={x(e)} cy={y(e)} r={dot} />)}
    </svg>
  );
}

// arrow returns the path of an arrow with its head at the edge of the second dot. In one lane, it
// bends to the right.
function arrow(fromX: number, fromY: number, toX: number, toY: number): string {
  const end = toY - dot - 1, bend = fromX === toX ? laneWidth / 2.5 : 0, middle = (fromY + end) / 2;
  return `M${fromX} ${fromY + dot}C${fromX + bend} ${middle} ${toX + bend} ${middle} ${toX} ${end}m-3 -5l3 5l3 -5`;
}
