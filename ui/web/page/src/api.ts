// The answers of the REST API. docs/api.md and /openapi.json describe them.

import { Kind } from './link.ts';

export interface Release { k8sVersion: string; etcdVersion: string; scenarios: string[]; source: boolean }
export interface Scenario { name: string; topic: string; title: string; description: string; teaches: string; releases: string[]; sends: string[]; follows?: boolean }
export interface RequestHead { number: number; method: string; path: string; status: number; calls: number; durationNs: number }
export interface Recording { scenario: string; title: string; k8sVersion: string; etcdVersion: string; recorded?: string; requests: RequestHead[] }

// hasStory reports whether a recording has what its requests caused.
export const hasStory = (r: Recording | null) => r?.requests.some((q) => q.method === 'EVENT') ?? false;

// brief names a request by its number, its method and the end of its path: "1 WATCH pods".
export function brief({ number, method, path }: RequestHead): string {
  const [at, query = ''] = path.split('?', 2);
  const resource = at.replace(/^\/(api|apis\/[^/]+)\/[^/]+\/(?=.)/, '').replace(/^namespaces\/[^/]+\/(?=.)/, '');
  return `${number} ${/(^|&)watch=(true|1)(&|$)/.test(query) ? 'WATCH' : method} ${resource}`;
}

// watch is the handoff of a call that handles the event of a write
// (trace.HandoffWatch). Nobody called it.
export const watch = 'watch';

export interface ValueText { name: string; text: string; decides?: boolean }
// A PluginLine names plugins. calls has them in the order of the text.
export interface PluginLine { text: string; decides?: boolean; calls?: { name: string; call: number }[] }
export interface Step {
  call: number; calls?: number[]; function: string; name: string; place?: string; layer: string; colour: string; key: boolean;
  time: string; durationNs: number; folded: number; through: number; newGoroutine?: boolean; handoff?: string; process?: string; section?: number;
  values: ValueText[]; plugins?: PluginLine[]; failure?: string; fatal?: boolean; errors?: string[]; note?: string; children: Step[];
}
export interface Section {
  number: number; layer: string; title: string; colour: string; sentences: { call: number; text: string }[]; role?: string; called?: string;
  caller: number; from: number; root: Step;
}
export interface View {
  request: string; facts: string; failure?: string; errorPath?: { call: number; text: string; line?: number }[]; warnings: string[]; running?: string; stored: string[]; delivered: string[]; calls: number;
  folded: number; sections: Section[];
}

export interface Call {
  function: string; file: string; line: number; callerLine: number; process: string; goroutine: number; newGoroutine?: boolean; afterwards?: boolean;
  startNs: number; durationNs: number; leaf?: boolean; unfinished?: boolean; error: string; panic?: string; index: number; caller: number; depth: number; ownNs: number;
  below: number; made: number; name: string; place: string; time: string; layer: string; colour: string; key: boolean; url?: string;
  attributes: Record<string, string>;
}
export interface CallList {
  total: number; from: number; items: Call[];
  // Only with a filter: shown has the calls of the list. These are the matching calls
  // and, if requested, their callers. matching has only the matching calls.
  shown?: number[]; matching?: ReadonlySet<number>;
}
export interface Frame {
  index: number; function: string; name: string; file: string; line: number; process: string; layer: string; colour: string; newGoroutine?: boolean;
  afterwards?: boolean;
}
export interface Value { name: string; value: string; decides: boolean }
export interface Details { call: Call; title: string; note: string; nth: number; step: number; stack: Frame[]; values: Value[] }

export interface Mark { line: number; function: string; name: string; count: number; calls: number[]; noSpan?: boolean; failed?: boolean; upstream?: string }
export interface Source {
  function: string; file: string; line: number; program: string; url?: string;
  lines: { number: number; tokens: { kind?: string; text: string }[] }[]; marks: Mark[];
  missing?: string; action?: string;
  // Only in a page without a server: the copyright notice and the licence of the text.
  notice?: string; licence?: { of: string; text: string };
}

export interface Position {
  call: number; kind: Kind; next: number; number: number; total: number; moved: boolean; line: number; stack: Frame[];
  nextFunction?: string; nextName?: string; nextNth?: number; nextAfterwards?: boolean;
  returned: number; returnedName?: string; returnedTime?: string; returnedError?: string;
}
export interface LongFunction { function: string; name: string; process: string; layer: string; colour: string; longest: number; calls: number; ownNs: number; remote?: string }
export interface LayerList { items: Layer[]; longest: LongFunction[] }
export interface Layer { layer: string; title: string; colour: string; process: string; first: number; longest: number; calls: number; ownNs: number }

export interface Hit { kind: 'function' | 'value' | 'error'; text: string; short: string; places: { scenario: string; releases: string[] }[]; behind?: boolean }
export interface HitList { lines?: FoundLine[]; total: number; from: number; items: Hit[]; names?: ReleasedName[]; reading?: Reading[] }
export interface FoundLine { function: string; short: string; k8sVersion: string; file: string; line: number; begins: number; sure?: boolean; text: string }
export interface Reading { kind: 'layer' | 'gate' | 'lesson' | 'exercise' | 'document'; name: string; title: string; text?: string }
export interface ReleasedName { kind: 'function' | 'type'; name: string; short: string; now?: string; fate: string; release?: string }

// A Problem is an error of the API. field is the property of the body that is wrong, if
// it is one.
export class Problem extends Error {
  constructor(readonly status: number, message: string, readonly action: string, readonly field = '') { super(message); }
}

// An Api answers the page's questions, from a server or from the
// data of a file or a site.
export interface Api {
  // get returns the answer to a path below /apis/apitrace/v1, or throws a Problem. It
  // keeps answers, because they do not change while the page is open.
  get<T>(path: string, query?: Record<string, string | number>): Promise<T>;
  // forget drops the kept answer to a path, so that the next get requests it again.
  forget(path: string): void;
  // live is set if there is a server that can start servers and take requests.
  live: boolean;
  // pages names the optional pages that have data without a server (views.ts).
  pages: string[];
  comparisons: Comparisons;
  // start is the address that the page begins with. If it is absent, the page
  // begins with the first request.
  start?: string;
}

// Comparisons says which recordings can be compared: any two, those of successive
// releases, one pair, or none.
export type Comparisons = 'any' | 'neighbours' | 'one' | 'none';

// A Place is a request of a recording.
export interface Place { release: string; scenario: string; request: number }

export const recordingPath = (p: Place) => `/releases/${encodeURIComponent(p.release)}/scenarios/${encodeURIComponent(p.scenario)}`;
export const requestPath = (p: Place) => `${recordingPath(p)}/requests/${p.request}`;
