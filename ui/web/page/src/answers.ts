// Answers to the page's questions about single calls. They come from the table of all
// calls of the request (CallTable in ui/web/calltable.go). A page with a server, a file
// and a site use the same code.

import { Source, View } from './api.ts';
import { Calls } from './calls.ts';
import { position } from './position.ts';
import { timeline } from './timeline.ts';
import { Lang } from './words.ts';

export type Query = Record<string, string | number>;

const asked = /^(\/releases\/[^/]+\/scenarios\/[^/]+\/requests\/\d+)\/(calls(?:\/(\d+)(\/children)?)?|find|position|timeline)$/;

// A Question is about the calls of a request. It has the path of the request, the kind
// of question, and the number of a call, -1 for none.
export interface Question { request: string; what: string; call: number }

// question parses the path of a question. It returns null for any other path.
export function question(path: string): Question | null {
  const found = asked.exec(path);
  if (!found) return null;
  const call = found[3] === undefined ? -1 : Number(found[3]);
  return { request: found[1], what: call < 0 ? found[2] : found[4] ? 'children' : 'call', call };
}

// answer answers a question. It returns undefined for a call that the request does not
// have. view returns the request's view.
export async function answer(calls: Calls, { what, call }: Question, query: Query, lang: Lang, view: () => Promise<View>): Promise<unknown> {
  const number = (name: string, otherwise: number) => Number(query[name] ?? otherwise);
  const text = (name: string) => String(query[name] ?? '');
  if (call >= calls.total) return undefined;
  switch (what) {
    case 'calls': return calls.list(text('text') ? calls.holding(text('text')) : calls.total, number('from', 0), number('limit', 200));
    case 'call': return calls.details(call, lang, await view());
    case 'children': return calls.list([...calls.children(call)], number('from', 0), number('limit', 200));
    case 'find': return calls.find(text('function'), text('caller'), number('nth', 1));
    case 'timeline': return timeline(calls, number('startNs', 0), number('endNs', 0), number('pixels', 1000));
  }
  const at = { call: number('call', 0), kind: (text('kind') || 'entered') as 'entered', next: text('kind') === 'calling' ? number('next', 0) : 0 };
  if (!(at.call >= 0 && at.call < calls.total) || at.kind as string === 'calling' && calls.parent[at.next] !== at.call) return undefined;
  return position(calls, at, text('action'), text('direction') !== 'backward');
}

// addMarks marks the lines of call i's source that made calls.
export function addMarks(source: Source, calls: Calls, i: number): Source {
  const { lines } = source;
  if (lines.length === 0) return source;
  const spanless = source.marks.map((m) => ({ ...m, calls: [] }));
  const marks = [...calls.marks(i, lines[0].number, lines[lines.length - 1].number), ...spanless];
  return { ...source, marks: marks.sort((a, b) => a.line - b.line) };
}
