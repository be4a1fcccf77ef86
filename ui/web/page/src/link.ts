// Links. The address of the page is its state: it has everything that a view needs to
// be restored. A link names a call by its function, its caller, and its position among
// the calls of the function by this caller. It has no number of a call, because
// numbers differ in a new recording.

import { Place, Scenario } from './api.ts';

// An Address is the part after the #: a path and parameters. Each view reads and writes
// its own address.
export interface Address { parts: string[]; query: Record<string, string> }

export function parse(hash: string): Address {
  const [path, query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const parts = path.split('/').filter((p) => p !== '').map(decode);
  // A live recording is at #/live/ID. Without ID, the address shows all live
  // recordings.
  return { parts: parts.length === 1 && parts[0] === 'live' ? ['servers'] : parts, query: Object.fromEntries(new URLSearchParams(query)) };
}

export function write({ parts, query }: Address): string {
  const q = new URLSearchParams(query);
  return '#/' + parts.map(encodeURIComponent).join('/') + (q.size ? '?' + q : '');
}

function decode(part: string): string {
  try { return decodeURIComponent(part); } catch { return part; }
}

// functionAddress returns the address of a function's page:
// #/function/NAME?release=RELEASE. Without a release, it is the newest one.
export const functionAddress = (name: string, release = '') => write({ parts: ['function', name], query: release ? { release } : {} });

export interface CallName { function: string; caller: string; nth: number }

// A LinkPosition is the step player's position in the named call. If the position is
// before a call that it makes, next is this call.
export interface LinkPosition { kind: Kind; next?: { function: string; nth: number } }
export type Kind = 'entered' | 'calling' | 'returning';
const kinds: readonly string[] = ['entered', 'calling', 'returning'];

// A RequestLink is the address of a view of a request:
// #/RELEASE/SCENARIO/REQUEST?view=NAME.
export interface RequestLink {
  place: Place;
  view: string;
  call?: CallName;
  line?: number;
  // position is set while the step player is open.
  position?: LinkPosition;
  // more has the view's own parameters.
  more: Record<string, string>;
}

// firstView is the view if the address of a request names no view.
export const firstView = 'steps';

// recordingAddress returns the address where a reader begins with a recording of a scenario: its
// story, if it has one, or its first request. Without a release, it is the newest recording.
export const recordingAddress = (s: Scenario, release = s.releases[0]): Address =>
  requestAddress({ place: { release, scenario: s.name, request: 1 }, view: s.follows ? storyView : firstView, more: {} });

// storyView is the name of the view of a recording's story.
export const storyView = 'story';
const first: Place = { release: 'latest', scenario: 'get-node', request: 1 };

// startAt sets the request that is shown if the address names no request.
export const startAt = (place: Place) => Object.assign(first, place);

export const firstPlace = (): Place => ({ ...first });

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
