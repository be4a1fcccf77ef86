// The engine of a page with a server, of a file and of a site. It answers questions about
// single calls from the table of all calls of a request (CallTable in
// ui/web/calltable.go). It passes all other questions on.

import { Api, CallList, Problem, Source, View } from './api.ts';
import { Calls, CallTable, Filter } from './calls.ts';
import { entryAt, position } from './position.ts';
import { timeline } from './timeline.ts';
import { Lang } from './words.ts';

export type Query = Record<string, string | number>;

// Data is the source of the page's data. calls, source and answer throw a
// Problem if the data do not exist.
export interface Data {
  // calls loads the calls of a request. request is its path.
  calls(request: string): Promise<CallTable>;
  // source loads the text of a call's function, with the marks of the functions
  // without a span that it calls.
  source(path: string, calls: Promise<Calls>, call: number): Promise<Source>;
  // answer loads the answer to any other question.
  answer(path: string, query: Query): Promise<unknown>;
  // missing returns the Problem for a question about a call that
  // the request does not have.
  missing(path: string): Problem;
}

const mostTables = 3;
const sourcePath = /^(.*\/requests\/\d+)\/calls\/(\d+)\/source$/;

// answering returns the method get of an Api.
export function answering(data: Data): Api['get'] {
  const tables = new Map<string, Promise<unknown>>();
  const callsOf = (request: string) => keep(tables, request, mostTables, async () => new Calls(await data.calls(request)));
  async function get(path: string, query: Query = {}): Promise<unknown> {
    const source = sourcePath.exec(path), asked = question(path);
    if (source) {
      const calls = callsOf(source[1]), call = Number(source[2]);
      return addMarks(await data.source(path, calls, call), await calls, call);
    }
    if (!asked) return data.answer(path, query);
    const lang = (query.lang ?? 'en') as Lang;
    const found = await answer(await callsOf(asked.request), asked, query, lang, () => data.answer(asked.request + '/view', { lang }) as Promise<View>);
    return found ?? raise(data.missing(path));
  }
  return get as Api['get'];
}

// keep returns the value of a key in kept. If the key has none, keep makes the value and
// adds it. kept keeps at most "most" values: the most recently used ones.
export function keep<T>(kept: Map<string, Promise<unknown>>, key: string, most: number, make: () => Promise<T>): Promise<T> {
  let value = kept.get(key) as Promise<T> | undefined;
  if (value) kept.delete(key);
  else {
    value = make();
    value.catch(() => kept.delete(key));
  }
  kept.set(key, value);
  if (kept.size > most) kept.delete(kept.keys().next().value!);
  return value;
}

export const raise = (e: Error): never => { throw e; };

const asked = /^(\/releases\/[^/]+\/scenarios\/[^/]+\/requests\/\d+)\/(calls(?:\/(\d+)(\/children)?)?|find|position|timeline)$/;

// A Question asks about the calls of a request. request is the path of the request, what
// is the kind of question, call is the number of a call or -1.
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
    case 'calls': return listed(calls, { text: text('text'), layer: text('layer'), process: text('process'), least: number('least', 0), failed: text('failed') !== '' }, text('callers') !== 'none', number('from', 0), number('limit', 200));
    case 'call': return calls.details(call, lang, await view());
    case 'children': return calls.list([...calls.children(call)], number('from', 0), number('limit', 200));
    case 'find': return calls.find(text('function'), text('caller'), number('nth', 1));
    case 'timeline': return timeline(calls, number('startNs', 0), number('endNs', 0), number('pixels', 1000), text('fold') !== '');
  }
  if (what === 'position' && query.number !== undefined) return calls.total > 0 ? position(calls, entryAt(calls, number('number', 0)), '', true) : undefined;
  const at = { call: number('call', 0), kind: (text('kind') || 'entered') as 'entered', next: text('kind') === 'calling' ? number('next', 0) : 0 };
  if (!(at.call >= 0 && at.call < calls.total) || at.kind as string === 'calling' && calls.parent[at.next] !== at.call) return undefined;
  return position(calls, at, text('action'), text('direction') !== 'backward');
}

// listed returns a part of the calls that a filter selects, with or without their
// callers. Without a filter, it returns a part of all calls.
function listed(calls: Calls, filter: Filter, callers: boolean, from: number, limit: number): CallList {
  if (!Object.values(filter).some((v) => v)) return calls.list(calls.total, from, limit);
  const key = JSON.stringify([filter, callers]);
  let last = selections.get(calls);
  if (last?.key !== key) {
    const matching = calls.select(filter);
    selections.set(calls, last = { key, shown: callers ? calls.withCallers(matching) : matching, matching: new Set(matching) });
  }
  const { shown, matching } = last;
  return { ...calls.list(shown, from, limit), shown, matching };
}

// selections has the last selection of each table, because a reader who scrolls asks for
// one part of it after the other.
const selections = new WeakMap<Calls, { key: string; shown: number[]; matching: ReadonlySet<number> }>();

// addMarks adds a mark to each line of call i's source that made a call.
export function addMarks(source: Source, calls: Calls, i: number): Source {
  const { lines } = source;
  if (lines.length === 0) return source;
  const spanless = source.marks.map((m) => ({ ...m, calls: [] }));
  const marks = [...calls.marks(i, lines[0].number, lines[lines.length - 1].number), ...spanless];
  return { ...source, marks: marks.sort((a, b) => a.line - b.line) };
}
