// The steps of the player. The engine (position.ts) makes all steps except steps between
// key steps, which come from the view of the request, and steps between lines of a story,
// which lead to other requests.

import { Api, Details, Position, Step as ViewStep, View } from './api.ts';
import { inTime } from './lanes.tsx';
import { Kind } from './link.ts';
import { StoryLine } from './story.tsx';

export type StepName = 'into' | 'over' | 'line' | 'out' | 'key' | 'story';
export interface Step { name: StepName; back: boolean }

// paces are speeds, in steps per second.
export const paces = [0.5, 1, 2, 4, 8, 16];

export interface Where { call: number; kind: Kind; next: number }

export const positionAt = (api: Api, path: string, { call, kind, next }: Where) =>
  api.get<Position>(path + '/position', { call, kind, next: kind === 'calling' ? next : 0 });

// positionOf returns the entry of a call at or before a number of a position.
export const positionOf = (api: Api, path: string, number: number) => api.get<Position>(path + '/position', { number });

export async function stepFrom(api: Api, path: string, view: View, from: Where, step: Step): Promise<Position> {
  const { call, kind, next } = from;
  if (step.name !== 'key') {
    return api.get<Position>(path + '/position', {
      call, kind, next: kind === 'calling' ? next : 0, action: step.name, direction: step.back ? 'backward' : 'forward',
    });
  }
  // first is the first call that is entered after the position. All calls
  // before it have been entered.
  const first = kind === 'calling' ? next : kind === 'entered' ? call + 1 : call + 1 + (await api.get<Details>(`${path}/calls/${call}`)).call.below;
  const shown = shownCalls(view);
  const to = step.back ? shown.findLast((c) => c < (kind === 'entered' ? call : first)) : shown.find((c) => c >= first);
  if (to === undefined) return { ...(await positionAt(api, path, from)), moved: false };
  return positionAt(api, path, { call: to, kind: 'entered', next: 0 });
}

// shownCalls returns the calls that the view shows, in order of entry.
function shownCalls(view: View): number[] {
  const calls = new Set<number>();
  const add = (s: ViewStep) => {
    calls.add(s.call);
    s.children.forEach(add);
  };
  for (const section of view.sections) add(section.root);
  return [...calls].sort((a, b) => a - b);
}

// lineAt returns the line of a story that a call of a request proves, or else the last line before
// it or the first one after it that a call of the request proves. It returns undefined if there is
// none.
export function lineAt(story: StoryLine[], request: number, call: number): StoryLine | undefined {
  const lines = story.filter((l) => l.request === request).sort((a, b) => a.call - b.call);
  return lines.findLast((l) => l.call <= call) ?? lines[0];
}

// lineFrom returns the line of a story after a call of a request, or before it, in the order
// of time. A call that proves no line counts as the last line that its request or an earlier
// one proves up to this call. lineFrom returns undefined if there is no line.
export function lineFrom(story: StoryLine[], request: number, call: number, back: boolean): StoryLine | undefined {
  const lines = inTime(story).map((e) => e.line);
  const exact = lines.findIndex((l) => l.request === request && l.call === call);
  if (exact >= 0) return lines[exact + (back ? -1 : 1)];
  const last = lines.findLastIndex((l) => l.request < request || l.request === request && l.call < call);
  return lines[back ? last : last + 1];
}
