// What is going on live: the servers and the live recordings, as the server's events tell. The stream of events stays open from
// the first live view on as long as the page is there; its end has the servers stopped.

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
let events: EventSource | null = null;
const watchers = new Set<(l: Live) => void>();

function change(part: Partial<Live>) {
  if (!live) return;
  live = { ...live, ...part };
  for (const w of watchers) w(live);
}

async function begin() {
  const response = await fetch(apiBase + '/live');
  if (!response.ok) return;
  live = { ...await response.json(), connected: true };
  change({});
}

// connect opens the stream, once.
export function connect() {
  if (events) return;
  events = new EventSource(apiBase + '/live/events');
  events.onopen = () => { begin().catch(() => change({ connected: false })); };
  events.onerror = () => change({ connected: false }); // the browser tries again by itself
  events.addEventListener('servers', (e) => change({ servers: JSON.parse(e.data) }));
  events.addEventListener('trace', (e) => {
    const trace: LiveTrace = JSON.parse(e.data);
    if (live && !live.traces.some((t) => t.id === trace.id)) change({ traces: [trace, ...live.traces].slice(0, live.limits.traces) });
  });
}

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
