// What the REST API answers; docs/api.md and /openapi.json describe it.

export interface Release { k8sVersion: string; etcdVersion: string; scenarios: string[]; source: boolean }
export interface Scenario { name: string; topic: string; title: string; description: string; teaches: string; releases: string[] }
export interface RequestHead { number: number; method: string; path: string; status: number; calls: number; durationNs: number }
export interface Recording { scenario: string; title: string; k8sVersion: string; etcdVersion: string; recorded?: string; requests: RequestHead[] }

export interface ValueText { name: string; text: string; decides?: boolean }
export interface Step {
  call: number; calls?: number[]; function: string; name: string; place?: string; layer: string; colour: string; key: boolean;
  time: string; durationNs: number; folded: number; through: number; newGoroutine?: boolean; process?: string; section?: number;
  values: ValueText[]; plugins?: string[]; failure?: string; fatal?: boolean; errors?: string[]; note?: string; children: Step[];
}
export interface Section {
  number: number; layer: string; title: string; colour: string; sentences: { call: number; text: string }[]; called?: string;
  caller: number; from: number; root: Step;
}
export interface View {
  request: string; facts: string; failure?: string; warnings: string[]; running?: string; stored: string[]; calls: number;
  folded: number; sections: Section[];
}

export interface Call {
  function: string; file: string; line: number; callerLine: number; process: string; goroutine: number; newGoroutine?: boolean;
  startNs: number; durationNs: number; unfinished?: boolean; error: string; panic?: string; index: number; caller: number; depth: number;
  below: number; made: number; name: string; place: string; time: string; layer: string; colour: string; key: boolean; url?: string;
}
export interface CallList { total: number; from: number; items: Call[] }
export interface Frame {
  index: number; function: string; name: string; file: string; line: number; process: string; layer: string; colour: string; newGoroutine?: boolean;
}
export interface Value { name: string; value: string; decides: boolean }
export interface Details { call: Call; title: string; note: string; nth: number; step: number; stack: Frame[]; values: Value[] }

export interface Mark { line: number; function: string; name: string; count: number; calls: number[]; noSpan?: boolean; failed?: boolean }
export interface Source {
  function: string; file: string; line: number; program: string; url?: string;
  lines: { number: number; tokens: { kind?: string; text: string }[] }[]; marks: Mark[];
  missing?: string; action?: string;
}

export interface Hit { kind: 'function' | 'value' | 'error'; text: string; short: string; places: { scenario: string; releases: string[] }[] }
export interface HitList { total: number; from: number; items: Hit[] }

// A Problem is an error of the API.
export class Problem extends Error {
  constructor(readonly status: number, message: string, readonly action: string) { super(message); }
}

const base = '/apis/apitrace/v1';
const kept = new Map<string, Promise<unknown>>();
const mostKept = 300;

// get asks the API. What it says of recordings does not change while the page is open, so that answers are kept.
export function get<T>(path: string, query: Record<string, string | number> = {}): Promise<T> {
  const parameters = new URLSearchParams(Object.entries(query).map(([k, v]) => [k, String(v)]));
  const address = base + path + (parameters.size ? '?' + parameters : '');
  let answer = kept.get(address) as Promise<T> | undefined;
  if (!answer) {
    answer = ask<T>(address);
    answer.catch(() => kept.delete(address));
    kept.set(address, answer);
    if (kept.size > mostKept) kept.delete(kept.keys().next().value!);
  }
  return answer;
}

// forget makes the next get ask again.
export function forget(path: string) { kept.delete(base + path); }

async function ask<T>(address: string): Promise<T> {
  let response: Response;
  try {
    response = await fetch(address);
  } catch {
    throw new Problem(0, 'apitrace does not answer', 'Is "apitrace web" still running? Start it again, and open the address that it prints.');
  }
  const body = await response.json();
  if (!response.ok) throw new Problem(response.status, body.message, body.action);
  return body as T;
}

// A Place is a request of a recording.
export interface Place { release: string; scenario: string; request: number }

export const recordingPath = (p: Place) => `/releases/${encodeURIComponent(p.release)}/scenarios/${encodeURIComponent(p.scenario)}`;
export const requestPath = (p: Place) => `${recordingPath(p)}/requests/${p.request}`;
