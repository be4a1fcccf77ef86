// The live state: the servers and the live recordings, kept up to date by the server's
// events. The stream of events opens with the first live view. It closes when all pages
// that have shown a live view are gone. Then the server stops the live servers.

import { useEffect, useState } from 'preact/hooks';
import { usePage } from './context.ts';
import { during } from './idle.ts';
import { apiBase } from './send.ts';

export interface LiveServer {
  release: string; as: string; state: 'starting' | 'ready' | 'stopping' | 'failed';
  progress?: Building; notices: string[]; error: string; own: boolean; kubeconfig: string; busy: string; commands: string[];
}
export interface Building { program: string; stage: string; done: number; total: number }
// A Check is the progress of checking an answer that needs a server.
export interface Check { exercise: string; progress?: Building; notices: string[] }
export interface LiveTrace {
  id: string; kind: 'replay' | 'request' | 'client' | 'upload'; title: string; release: string; received: string; requests: number;
  status: number; hungUp?: boolean; calls: number; durationNs: number; etcd: string; error: string; notices: string[];
  // Only in the answer to a request of the form.
  answer?: { type: string; bytes: number; text: string; cut?: boolean; hidden?: boolean };
}
export interface Live {
  releases: { k8sVersion: string; built: boolean }[]; askers: string[];
  limits: { servers: number; traces: number; bodyBytes: number; uploadBytes: number; graceSeconds: number };
  servers: LiveServer[]; traces: LiveTrace[];
  // connected says whether the stream of events is open.
  connected: boolean;
}

let live: Live | null = null;
const watchers = new Set<(l: Live) => void>();
const checks = new Set<(c: Check) => void>();

function change(part: Partial<Live>) {
  if (!live) return;
  live = { ...live, ...part };
  for (const w of watchers) w(live);
}

// Told is a message from the tab with the stream to the other tabs: an event of the
// server, or a change of the stream's state.
type Told = { name: 'open' | 'lost' } | { name: 'servers'; data: LiveServer[] } | { name: 'trace'; data: LiveTrace }
  | { name: 'check'; data: Check };

// waiting collects the events that arrive while the state is requested, because the
// answer may be older. It is null when no request is pending.
let waiting: Told[] | null = null;

const ask = () => during(askAgain());

async function askAgain() {
  const told: Told[] = waiting = [];
  try {
    const response = await fetch(`${apiBase}/live?lang=${lang}`);
    if (!response.ok) throw new Error(response.statusText);
    const state = { ...await response.json(), connected: true };
    if (waiting !== told) return; // a later request is for another language
    live = state;
    change({});
  } catch {
    if (waiting !== told) return;
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
      break;
    case 'check': for (const w of checks) w(told.data);
  }
}

let lang = '', leave = () => {};

// connect joins the event stream of a language, and leaves the stream of any other
// language. A browser has six connections to a server for all its tabs. So only one tab
// opens the stream and passes the events on. When it is closed, the next tab opens the
// stream.
export function connect(of: string) {
  if (of === lang) return;
  leave();
  lang = of;
  const name = 'apitrace-live-' + of;
  const others = new BroadcastChannel(name);
  others.onmessage = (e) => hear(e.data);
  const left = new AbortController();
  leave = () => { others.close(); left.abort(); };
  const tell = (told: Told) => { if (!left.signal.aborted) { hear(told); others.postMessage(told); } };
  const hold = () => {
    navigator.locks.request(name, { signal: left.signal }, () => stream(of, tell, left.signal)).catch(() => {})
      .then(() => { if (!left.signal.aborted) setTimeout(hold, 2000); });
  };
  hold();
  ask();
}

// stream opens the stream. The promise resolves when the page leaves the stream, or when
// the browser gives up because the server has another token or too many listeners.
const stream = (lang: string, tell: (told: Told) => void, left: AbortSignal) => new Promise<void>((done) => {
  const events = new EventSource(`${apiBase}/live/events?lang=${lang}`);
  left.addEventListener('abort', () => { events.close(); done(); });
  events.onopen = () => tell({ name: 'open' });
  events.onerror = () => { // normally the browser connects again by itself
    tell({ name: 'lost' });
    if (events.readyState === EventSource.CLOSED) done();
  };
  for (const name of ['servers', 'trace', 'check'] as const) events.addEventListener(name, (e) => tell({ name, data: JSON.parse(e.data) } as Told));
});

// useLive returns the live state, or null while it is not known.
export function useLive(): Live | null {
  const { lang } = usePage();
  const [now, setNow] = useState(live);
  useEffect(() => {
    watchers.add(setNow);
    setNow(live);
    return () => { watchers.delete(setNow); };
  }, []);
  useEffect(() => connect(lang), [lang]);
  return now;
}

// useCheck returns the progress of checking an answer to an exercise, or
// null while it is not known.
export function useCheck(exercise: string, checking: boolean): Check | null {
  const { lang } = usePage();
  const [now, setNow] = useState<Check | null>(null);
  useEffect(() => {
    setNow(null);
    if (!checking) return;
    connect(lang);
    const hear = (c: Check) => { if (c.exercise === exercise) setNow(c); };
    checks.add(hear);
    return () => { checks.delete(hear); };
  }, [exercise, checking, lang]);
  return checking ? now : null;
}
