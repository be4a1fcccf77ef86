// The API's answers about comparisons. docs/api.md and /openapi.json describe them.

export interface Spot { call: number; function: string; name: string; place: string; caller: string; nth: number; time: string; url?: string }
export interface Origin { name: string; step: number }
export interface DiffStep {
  call: number; calls?: number[]; a?: Spot; b?: Spot; function: string; caller: string; nth: number; name: string; place?: string; layer: string; colour: string;
  key: boolean; change: '' | 'added' | 'removed' | 'changed'; mark: string; details: string[] | null; values: { name: string; a: string; b: string }[];
  was?: Origin; instead?: Origin; by?: Origin; compare?: string; folded: number; through: number; newGoroutine?: boolean; handoff?: string; process?: string; section?: number; elsewhere?: boolean; children: DiffStep[];
}
export interface DiffSection { number: number; layer: string; title: string; colour: string; called?: string; root: DiffStep; instead?: DiffStep }
// A DiffSentence is about a call. evidence has lines with its reasons or conditions. step
// is the step of the tree that shows the call, or the nearest step above it, or -1.
export interface DiffSentence { kind: string; text: string; evidence: string[]; call: number; step: number }
export interface DiffLayer { name: string; title: string; colour: string; sentences: DiffSentence[]; smaller: number }
export interface DiffTree {
  nameA: string; nameB: string; request: string; was?: string; requestA: number; requestB: number; pairs: { request: string; same: boolean }[]; statusA: number; statusB: number;
  callsA: number; callsB: number; same: boolean; onlyIn?: string; facts: string; warnings: string[]; legend: string[]; layers: DiffLayer[]; unchanged: string[]; noReason?: string;
  changes: number; shown: number; folded: number; hidden?: string[]; tooMany?: number; sections: DiffSection[];
}

export interface SourceSide { function: string; name: string; file: string; line: number; program: string; url?: string }
export interface HunkLine { a: number; b: number; tokens: { kind?: string; text: string }[] }
export interface SourceDiff {
  a?: SourceSide; b?: SourceSide; same: boolean; hunks: { fromA: number; countA: number; fromB: number; countB: number; lines: HunkLine[] }[];
  hunk: number; line: number; onB: boolean; compare?: string; missing?: string; action?: string;
  // Only in a page without a server: as in Source.
  notice?: string; licence?: { of: string; text: string };
}

export interface Brief {
  same: boolean; marks: { mark: string; names: string[] }[]; smaller: number;
  told: { layer: string; title: string; colour: string; sentences: { text: string; evidence: string[] }[] }[]; counts: { kind: string; title: string; count: number }[];
}
export interface HistoryStep { k8sVersion: string; recorded: boolean; why?: string; calls: number; since?: string; changes?: Brief }
export interface History { scenario: string; title: string; releases: HistoryStep[] }

// A Pairing names the compared recordings: one scenario on two releases, or
// two scenarios on one release.
export interface Pairing { scenarios: boolean; common: string; from: string; to: string }

// of returns the API's path and parameters for a pairing.
export const of = (p: Pairing): [string, Record<string, string>] =>
  p.scenarios ? ['/compare', { release: p.common, from: p.from, to: p.to }] : ['/diff', { scenario: p.common, from: p.from, to: p.to }];

// pairingAddress returns the address of a comparison on the page: #/compare?scenario=…
// or #/compare?release=….
export const pairingAddress = (p: Pairing, more: Record<string, string> = {}) => ({ parts: ['compare'], query: { ...of(p)[1], ...more } });
