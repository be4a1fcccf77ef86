// Links. A link names a call by its function, the function that called it, and which of those calls it is: numbers
// of calls are others in a new recording.

import { Place } from './api.ts';

export type Mode = 'steps' | 'calls';

export interface CallName { function: string; caller: string; nth: number }

export interface Link {
  place: Place;
  mode: Mode;
  call?: CallName;
  line?: number;
  // search is what was searched for: its hits are shown in place of the request.
  search?: string;
}

export const first: Link = { place: { release: 'latest', scenario: 'get-node', request: 1 }, mode: 'steps' };

export function parse(hash: string): Link {
  const [path, query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const [release, scenario, request] = path.split('/').map(decode);
  const q = new URLSearchParams(query);
  const link: Link = {
    place: {
      release: release || first.place.release, scenario: scenario || first.place.scenario,
      request: Math.max(1, Number.parseInt(request, 10) || 1),
    },
    mode: q.get('view') === 'calls' ? 'calls' : 'steps',
  };
  const name = q.get('call');
  if (name) link.call = { function: name, caller: q.get('by') ?? '', nth: Math.max(1, Number.parseInt(q.get('nth') ?? '1', 10) || 1) };
  const line = Number.parseInt(q.get('line') ?? '', 10);
  if (line > 0) link.line = line;
  if (q.get('search')) link.search = q.get('search')!;
  return link;
}

export function write(link: Link): string {
  const q = new URLSearchParams();
  if (link.mode !== 'steps') q.set('view', link.mode);
  if (link.call) {
    q.set('call', link.call.function);
    if (link.call.caller) q.set('by', link.call.caller);
    if (link.call.nth > 1) q.set('nth', String(link.call.nth));
  }
  if (link.search) q.set('search', link.search);
  if (link.line) q.set('line', String(link.line));
  const { release, scenario, request } = link.place;
  return `#/${encodeURIComponent(release)}/${encodeURIComponent(scenario)}/${request}${q.size ? '?' + q : ''}`;
}

function decode(part = ''): string {
  try { return decodeURIComponent(part); } catch { return part; }
}
