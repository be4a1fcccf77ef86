// The page's data from the server that served the page.

import { Api, Problem } from './api.ts';
import { pageWords } from './words.ts';

const base = '/apis/apitrace/v1';
const mostKept = 300;

export function server(): Api {
  const kept = new Map<string, Promise<unknown>>();
  let lang = ''; // of what is kept: answers without a parameter for it have sentences, too
  return {
    live: true,
    pages: [],
    comparisons: 'any',
    get<T>(path: string, query: Record<string, string | number> = {}): Promise<T> {
      const parameters = new URLSearchParams(Object.entries(query).map(([k, v]) => [k, String(v)]));
      const address = base + path + (parameters.size ? '?' + parameters : '');
      if (lang !== document.documentElement.lang) { kept.clear(); lang = document.documentElement.lang; }
      let answer = kept.get(address) as Promise<T> | undefined;
      if (!answer) {
        answer = ask<T>(address);
        answer.catch(() => kept.delete(address));
        kept.set(address, answer);
        if (kept.size > mostKept) kept.delete(kept.keys().next().value!);
      }
      return answer;
    },
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
