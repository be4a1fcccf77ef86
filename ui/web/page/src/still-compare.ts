// Comparisons as a page without a server has them (ui/web/stillcompare.go), and what the API says of them. A test compares the answers
// with those of the server.

import { DiffSection, DiffTree, SourceDiff, SourceSide } from './compare-data.ts';

// Trees are the trees of a pair of requests: the one of key steps, and by layer, "" for all, how those with all changes differ from it.
interface Trees { first: DiffTree; trees: Record<string, { sections: DiffSection[]; legend: string[]; shown: number; folded: number; hidden?: string[]; tooMany?: number; steps: number[][] }> }
export interface TreesPiece { requests: Trees[] }

// A call's function by its number, -1 for none; the line of the call, and 1 if that is one of side B.
type At = [number, number, number];
interface Changed { a: SourceSide; b: SourceSide; process: [string, string]; compare?: string }
export interface ComparedCalls { sources: [string, string]; functions: Changed[]; requests: Record<string, At>[] }
// By the function of side B and that of side A. Of each line, lines has " " if both sides have it, else "-" or "+".
interface Hunks { hunks?: { a: number; b: number; lines: string }[]; missing?: string; absent?: string }
export type HunksPiece = Record<string, Record<string, Hunks>>;

// comparison returns the tree with some changes, undefined if there is none of the layer.
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

// diffOf puts the hunks of a function together with the lines of both sides.
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
