// The page's data from the server that served the page.

import { answering, keep, Query } from './answers.ts';
import { Api, Problem, Source } from './api.ts';
import { CallTable } from './calls.ts';
import { pageWords } from './words.ts';

const base = '/apis/apitrace/v1';
const mostKept = 300;

export function server(): Api {
  const kept = new Map<string, Promise<unknown>>();
  let lang = ''; // the language of the kept answers: answers may have sentences even without the parameter lang
  function answer(path: string, query: Query = {}): Promise<unknown> {
    const parameters = new URLSearchParams(Object.entries(query).map(([k, v]) => [k, String(v)]));
    const address = base + path + (parameters.size ? '?' + parameters : '');
    if (lang !== document.documentElement.lang) { kept.clear(); lang = document.documentElement.lang; }
    return keep(kept, address, mostKept, () => ask(address));
  }
  return {
    live: true,
    pages: [],
    comparisons: 'any',
    get: answering({ calls: (request) => ask<CallTable>(`${base}${request}/calls`), source: (path) => answer(path) as Promise<Source>, answer, missing: (path) => new Problem(404, pageWords().notHere(path), '') }),
    forget(path) { kept.delete(base + path); },
  };
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
