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

async function answerTo(method: 'POST' | 'DELETE', path: string, body?: unknown, signal?: AbortSignal): Promise<Response> {
  const lang = document.documentElement.lang;
  try {
    return await fetch(apiBase + path + (path.includes('?') ? '&' : '?') + 'lang=' + lang, {
      method, signal, headers: { 'Accept-Language': lang, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
      body: body instanceof Blob ? body : body === undefined ? undefined : JSON.stringify(body),
    });
  } catch (e) {
    if (signal?.aborted) throw e;
    throw new Problem(0, pageWords().noAnswer, pageWords().noAnswerAction);
  }
}

const problemOf = (response: Response, answer: Problem) => new Problem(response.status, answer.message, answer.action, answer.field);

async function write<T>(method: 'POST' | 'DELETE', path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
  const response = await answerTo(method, path, body, signal);
  const answer = await response.json();
  if (!response.ok) throw problemOf(response, answer);
  return answer as T;
}

// sendLines sends a request like send, with an answer of lines of JSON. It calls each for
// each line.
export async function sendLines<T>(path: string, body: unknown, signal: AbortSignal, each: (line: T) => void): Promise<void> {
  const response = await answerTo('POST', path, body, signal);
  if (!response.ok) throw problemOf(response, await response.json());
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { value, done } = await reader.read();
    const lines = (rest + (value ?? '')).split('\n');
    rest = lines.pop()!;
    for (const line of lines) if (line) each(JSON.parse(line));
    if (done) return;
  }
}

// cancelled reports whether an error means that the signal cancelled a request.
export const cancelled = (e: unknown) => e instanceof DOMException && e.name === 'AbortError';
