// Links. The address of the page is its state: what a view must find again is in it. A link names a call by its function,
// the function that called it, and which of those calls it is: numbers of calls are others in a new recording.

import { Place } from './api.ts';

// An Address is what follows the # : a path, and parameters. Each view reads and writes its own.
export interface Address { parts: string[]; query: Record<string, string> }

export function parse(hash: string): Address {
  const [path, query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const parts = path.split('/').filter((p) => p !== '').map(decode);
  // A live recording is at #/live/ID: who leaves out its number gets to all of them.
  return { parts: parts.length === 1 && parts[0] === 'live' ? ['servers'] : parts, query: Object.fromEntries(new URLSearchParams(query)) };
}

export function write({ parts, query }: Address): string {
  const q = new URLSearchParams(query);
  return '#/' + parts.map(encodeURIComponent).join('/') + (q.size ? '?' + q : '');
}

function decode(part: string): string {
  try { return decodeURIComponent(part); } catch { return part; }
}

export interface CallName { function: string; caller: string; nth: number }

// A LinkPosition is where in the named call the step player stands; next is the call that is about to be made.
export interface LinkPosition { kind: Kind; next?: { function: string; nth: number } }
export type Kind = 'entered' | 'calling' | 'returning';
const kinds: readonly string[] = ['entered', 'calling', 'returning'];

// A RequestLink is the address of a view of a request: #/RELEASE/SCENARIO/REQUEST?view=NAME.
export interface RequestLink {
  place: Place;
  view: string;
  call?: CallName;
  line?: number;
  // position is there while the step player is open.
  position?: LinkPosition;
  // more holds the view's own parameters.
  more: Record<string, string>;
}

// firstView is the view of a request whose address names none.
export const firstView = 'steps';
const first: Place = { release: 'latest', scenario: 'get-node', request: 1 };

// startAt says which request an address shows that names none.
export const startAt = (place: Place) => Object.assign(first, place);

export function requestLink({ parts: [release, scenario, request], query }: Address): RequestLink {
  const { view, call, by, nth, line, at, next, nextnth, ...more } = query;
  const link: RequestLink = {
    place: { release: release || first.release, scenario: scenario || first.scenario, request: atLeastOne(request) },
    view: view || firstView, more,
  };
  if (call) link.call = { function: call, caller: by ?? '', nth: atLeastOne(nth) };
  if (Number.parseInt(line, 10) > 0) link.line = Number.parseInt(line, 10);
  if (kinds.includes(at)) link.position = { kind: at as Kind, next: next ? { function: next, nth: atLeastOne(nextnth) } : undefined };
  return link;
}

const atLeastOne = (text?: string) => Math.max(1, Number.parseInt(text ?? '', 10) || 1);

export function requestAddress(link: RequestLink): Address {
  const { release, scenario, request } = link.place;
  const query: Record<string, string> = {};
  if (link.view !== firstView) query.view = link.view;
  if (link.call) {
    query.call = link.call.function;
    if (link.call.caller) query.by = link.call.caller;
    if (link.call.nth > 1) query.nth = String(link.call.nth);
  }
  if (link.position) {
    query.at = link.position.kind;
    if (link.position.next) {
      query.next = link.position.next.function;
      if (link.position.next.nth > 1) query.nextnth = String(link.position.next.nth);
    }
  }
  Object.assign(query, link.more);
  if (link.line) query.line = String(link.line);
  return { parts: [release, scenario, String(request)], query };
}
