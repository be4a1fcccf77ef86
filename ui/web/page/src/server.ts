// The page's data from the server that served the page.

import { addMarks, answer, Query, question } from './answers.ts';
import { Api, Problem, Source, View } from './api.ts';
import { Calls, CallTable } from './calls.ts';
import { Lang, pageWords } from './words.ts';

const base = '/apis/apitrace/v1';
const mostKept = 300, mostTables = 3;
const sourcePath = /^(.*\/requests\/\d+)\/calls\/(\d+)\/source$/;

export function server(): Api {
  const kept = new Map<string, Promise<unknown>>();
  let lang = ''; // of what is kept: answers without a parameter for it have sentences, too
  function get<T>(path: string, query: Query = {}): Promise<T> {
    const parameters = new URLSearchParams(Object.entries(query).map(([k, v]) => [k, String(v)]));
    const address = base + path + (parameters.size ? '?' + parameters : '');
    if (lang !== document.documentElement.lang) { kept.clear(); lang = document.documentElement.lang; }
    return keep(kept, address, mostKept, () => ask<T>(address));
  }
  // The tables of calls are the same in all languages.
  const tables = new Map<string, Promise<unknown>>();
  const callsOf = (request: string) => keep(tables, request, mostTables, async () => new Calls(await ask<CallTable>(base + request + '/calls')));
  async function about<T>(path: string, query: Query): Promise<T> {
    const asked = question(path)!, language = (query.lang ?? 'en') as Lang;
    const found = await answer(await callsOf(asked.request), asked, query, language, () => get<View>(asked.request + '/view', { lang: language }));
    if (found === undefined) throw new Problem(404, pageWords().notHere(path), '');
    return found as T;
  }
  async function source(path: string, request: string, call: number): Promise<Source> {
    const [calls, text] = await Promise.all([callsOf(request), get<Source>(path)]);
    return addMarks(text, calls, call);
  }
  return {
    live: true,
    pages: [],
    comparisons: 'any',
    get<T>(path: string, query: Query = {}): Promise<T> {
      if (question(path)) return about<T>(path, query);
      const of = sourcePath.exec(path);
      return of ? source(path, of[1], Number(of[2])) as Promise<T> : get<T>(path, query);
    },
    forget(path) { kept.delete(base + path); },
  };
}

// keep returns the kept value of a key, or makes it. It keeps at most most values.
function keep<T>(kept: Map<string, Promise<unknown>>, key: string, most: number, make: () => Promise<T>): Promise<T> {
  let answer = kept.get(key) as Promise<T> | undefined;
  if (!answer) {
    answer = make();
    answer.catch(() => kept.delete(key));
    kept.set(key, answer);
    if (kept.size > most) kept.delete(kept.keys().next().value!);
  }
  return answer;
}

async function ask<T>(address: string): Promise<T> {
  let response: Response;
  try {
    response = await fetch(address, { headers: { 'Accept-Language': document.documentElement.lang } });
  } catch {
    throw new Problem(0, pageWords().noAnswer, pageWords().noAnswerAction);
  }
  const body = await response.json();
  if (!response.ok) throw new Problem(response.status, body.message, body.action);
  return body as T;
}
