// Requests that change the server. Only live views use them.

import { Problem } from './api.ts';
import { during } from './idle.ts';
import { pageWords } from './words.ts';

export const apiBase = '/apis/apitrace/v1';

// send sends a request that changes something. It returns the answer in the
// page's language, or throws a Problem. signal cancels the request, and the
// server then stops its work. Without a signal, the request ends soon, and the
// page is not idle until then (idle.ts).
export function send<T>(method: 'POST' | 'DELETE', path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
  const answer = write<T>(method, path, body, signal);
  return signal ? answer : during(answer);
}

async function write<T>(method: 'POST' | 'DELETE', path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
  const lang = document.documentElement.lang;
  let response: Response;
  try {
    response = await fetch(apiBase + path + (path.includes('?') ? '&' : '?') + 'lang=' + lang, {
      method, signal, headers: { 'Accept-Language': lang, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
      body: body instanceof Blob ? body : body === undefined ? undefined : JSON.stringify(body),
    });
  } catch (e) {
    if (signal?.aborted) throw e;
    throw new Problem(0, pageWords().noAnswer, pageWords().noAnswerAction);
  }
  const answer = await response.json();
  if (!response.ok) throw new Problem(response.status, answer.message, answer.action, answer.field);
  return answer as T;
}

// cancelled reports whether an error means that the signal cancelled a request.
export const cancelled = (e: unknown) => e instanceof DOMException && e.name === 'AbortError';
