// What is going on live: the servers and the live recordings, as the server's events tell. The stream of events stays open from
// the first live view on as long as one of the pages that have shown one is there; its end has the servers stopped.

import { useEffect, useState } from 'preact/hooks';
import { apiBase } from './send.ts';

export interface LiveServer {
  release: string; as: string; state: 'starting' | 'ready' | 'stopping' | 'failed';
  progress?: { program: string; stage: string; done: number; total: number };
  notices: string[]; error: string; own: boolean; kubeconfig: string; busy: string; commands: string[];
}
export interface LiveTrace {
  id: string; kind: 'replay' | 'request' | 'client' | 'upload'; title: string; release: string; received: string; requests: number;
  status: number; hungUp?: boolean; calls: number; durationNs: number; etcd: string; error: string; notices: string[];
}
export interface Live {
  releases: { k8sVersion: string; built: boolean }[]; askers: string[];
  limits: { servers: number; traces: number; bodyBytes: number; uploadBytes: number; graceSeconds: number };
  servers: LiveServer[]; traces: LiveTrace[];
  // connected tells whether the events come.
  connected: boolean;
}

let live: Live | null = null;
const watchers = new Set<(l: Live) => void>();

function change(part: Partial<Live>) {
  if (!live) return;
  live = { ...live, ...part };
  for (const w of watchers) w(live);
}

// Told is what the tab with the stream tells the others: an event of the server, or what became of the stream.
type Told = { name: 'open' | 'lost' } | { name: 'servers'; data: LiveServer[] } | { name: 'trace'; data: LiveTrace };

// waiting is what was told while the state is asked for, which may be older than that; null when it is not asked for.
let waiting: Told[] | null = null;

async function ask() {
  const told: Told[] = waiting = [];
  try {
    const response = await fetch(apiBase + '/live');
    if (!response.ok) throw new Error(response.statusText);
    live = { ...await response.json(), connected: true };
    change({});
  } catch {
    change({ connected: false });
  }
  waiting = null;
  told.forEach(hear);
}

function hear(told: Told) {
  if (waiting) { waiting.push(told); return; }
  switch (told.name) {
    case 'open': ask(); break;
    case 'lost': change({ connected: false }); break;
    case 'servers': change({ servers: told.data }); break;
    case 'trace':
      if (live && !live.traces.some((t) => t.id === told.data.id)) change({ traces: [told.data, ...live.traces].slice(0, live.limits.traces) });
  }
}

let joined = false;

// connect takes part in the stream, once. A browser has six connections to a server at the same time, for all its tabs: one tab
// holds the stream and tells the others, and when it is closed the next one opens it.
export function connect() {
  if (joined) return;
  joined = true;
  const others = new BroadcastChannel('apitrace-live');
  others.onmessage = (e) => hear(e.data);
  const tell = (told: Told) => { hear(told); others.postMessage(told); };
  const hold = () => navigator.locks.request('apitrace-live', () => stream(tell)).finally(() => setTimeout(hold, 2000));
  hold();
  ask();
}

// stream opens the stream, and returns when the browser has given it up: the server has another token, or too many listen.
const stream = (tell: (told: Told) => void) => new Promise<void>((done) => {
  const events = new EventSource(apiBase + '/live/events');
  events.onopen = () => tell({ name: 'open' });
  events.onerror = () => { // in most cases the browser tries again by itself
    tell({ name: 'lost' });
    if (events.readyState === EventSource.CLOSED) done();
  };
  for (const name of ['servers', 'trace'] as const) events.addEventListener(name, (e) => tell({ name, data: JSON.parse(e.data) } as Told));
});

// useLive is what is going on, null until that is known.
export function useLive(): Live | null {
  const [now, setNow] = useState(live);
  useEffect(() => {
    connect();
    watchers.add(setNow);
    setNow(live);
    return () => { watchers.delete(setNow); };
  }, []);
  return now;
}
