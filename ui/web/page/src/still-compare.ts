// Comparisons in a page without a server (ui/web/stillcompare.go), and answers made
// from them as the API has them. A test compares these with the answers of the server.

import { DiffSection, DiffTree, SourceDiff, SourceSide } from './compare-data.ts';

// Trees are the trees of a pair of requests. first has the key steps. trees maps a
// layer, "" for all, to the differences between first and the tree with all changes of
// the layer.
interface Trees { first: DiffTree; trees: Record<string, { sections: DiffSection[]; legend: string[]; shown: number; folded: number; hidden?: string[]; tooMany?: number; steps: number[][] }> }
export interface TreesPiece { requests: Trees[] }

// The number of a call's function, -1 for none; the line of the call; and 1 if the line
// is on side B.
type At = [number, number, number];
interface Changed { a: SourceSide; b: SourceSide; process: [string, string]; compare?: string }
export interface ComparedCalls { sources: [string, string]; functions: Changed[]; requests: Record<string, At>[] }
// The first key is the function of side B, the second the function of side A. lines has
// " " for a line on both sides, "-" for side A, "+" for side B.
interface Hunks { hunks?: { a: number; b: number; lines: string }[]; missing?: string; absent?: string }
export type HunksPiece = Record<string, Record<string, Hunks>>;

// comparison returns the tree with the chosen changes. It returns undefined if the
// layer has no tree.
export function comparison({ first, trees }: Trees, show: string, layer: string): DiffTree | undefined {
  if (show !== 'all' && !layer || Object.keys(trees).length === 0) return first;
  const other = trees[layer];
  if (!other) return undefined;
  const { steps, ...rest } = other, { tooMany: _, hidden: __, ...whole } = first;
  return {
    ...whole, ...rest,
    layers: first.layers.map((l, i) => ({ ...l, sentences: l.sentences.map((s, n) => ({ ...s, step: steps[i][n] })) })),
  };
}

type Lines = { number: number; tokens: { kind?: string; text: string }[] }[];

// diffOf combines the hunks of a function with the lines of both sides.
export function diffOf({ a, b, compare }: Changed, [, line, onB]: At, packed: Hunks, linesA: Lines, linesB: Lines, missing?: string): SourceDiff {
  const out: SourceDiff = { a, b, same: false, hunks: [], hunk: -1, line, onB: onB === 1 };
  if (compare) out.compare = compare;
  if (missing) return { ...out, missing };
  out.hunks = (packed.hunks ?? []).map((h, n) => {
    let countA = 0, countB = 0;
    const lines = [...h.lines].map((sign) => {
      const atA = sign === '+' ? 0 : h.a + countA++, atB = sign === '-' ? 0 : h.b + countB++;
      const from = atB ? linesB : linesA;
      return { a: atA, b: atB, tokens: from[(atB || atA) - from[0].number].tokens };
    });
    const start = onB ? h.b : h.a;
    if (line >= start && line < start + (onB ? countB : countA)) out.hunk = n;
    return { fromA: h.a, countA, fromB: h.b, countB, lines };
  });
  out.same = out.hunks.length === 0;
  return out;
}
