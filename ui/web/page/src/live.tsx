import { Fragment, h } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Problem, recordingPath } from './api.ts';
import { usePage } from './context.ts';
import { firstView, requestAddress, write } from './link.ts';
import { Building, Live as State, LiveServer, LiveTrace, useLive } from './live-state.ts';
import { liveWords, LiveWords } from './live-words.ts';
import { ScenarioOptions } from './scenario-options.tsx';
import { apiBase, cancelled, send } from './send.ts';
import { thousands } from './words.ts';

// Live starts servers, replays scenarios, sends requests, and lists the live
// recordings. Its address is #/servers.
export function Live() {
  const { lang, words } = usePage();
  const live = useLive();
  const w = liveWords[lang];
  if (!live) return <p class="quiet loading">{words.loading}</p>;
  const ready = live.servers.filter((s) => s.state === 'ready');
  return (
    <div class="live">
      {!live.connected && <p class="failed" role="alert">{w.lost}</p>}
      <div class="columns">
        <div>
          <Servers live={live} w={w} />
          <Replay ready={ready} w={w} />
          <Request ready={ready} askers={live.askers} w={w} />
        </div>
        <div>
          <Upload most={live.limits.uploadBytes} w={w} />
          <Traces live={live} w={w} />
        </div>
      </div>
    </div>
  );
}

function Servers({ live, w }: { live: State; w: LiveWords }) {
  const { problem } = usePage();
  const [release, setRelease] = useState(live.releases.find((r) => r.built)?.k8sVersion ?? live.releases[0]?.k8sVersion ?? '');
  const [as, setAs] = useState('admin');
  const full = live.servers.filter((s) => s.state !== 'failed').length >= live.limits.servers;
  const [asked, setAsked] = useState(false); // a request waits for its answer
  // why says why no server can be started; empty if one can be.
  const why = full ? w.enough(live.limits.servers) : live.servers.some((s) => s.release === release && s.state !== 'failed') ? w.alreadyThere(release) : live.releases.length === 0 ? w.noReleases : '';
  const start = (e: Event) => {
    e.preventDefault();
    problem(null);
    setAsked(true);
    send('POST', '/live/servers', { release, as }).catch(problem).finally(() => setAsked(false));
  };
  return (
    <section aria-labelledby="servers">
      <h1 id="servers">{w.servers}</h1>
      <p class="quiet">{w.intro}</p>
      <form class="line" onSubmit={start}>
        <label>{w.release}<select name="release" value={release} onChange={(e) => setRelease(e.currentTarget.value)}>
          {live.releases.map((r) => <option value={r.k8sVersion} selected={r.k8sVersion === release}>{r.built ? r.k8sVersion : r.k8sVersion + w.notBuilt}</option>)}
        </select></label>
        <label>{w.as}<select name="as" value={as} onChange={(e) => setAs(e.currentTarget.value)}>
          {live.askers.filter((a) => a !== 'stranger').map((a) => <option value={a} selected={a === as}>{a}</option>)}
        </select></label>
        <button class="go" disabled={asked || !!why} title={why}>{w.start}</button>
      </form>
      {why && <p class="quiet why">{why}</p>}
      {live.servers.map((s) => <Server key={s.release} s={s} w={w} />)}
    </section>
  );
}

function Server({ s, w }: { s: LiveServer; w: LiveWords }) {
  const { problem } = usePage();
  const [copied, setCopied] = useState(false);
  const text = s.commands.join('\n');
  return (
    <div class={'server ' + s.state} data-release={s.release}>
      <p class="head">
        <b>kube-apiserver {s.release}</b> <span class="state" role="status">{s.busy && s.state === 'ready' ? w.busy(s.busy) : w.states[s.state]}</span>
        <span class="gap" />
        {s.state !== 'stopping' && <button class="stop" onClick={() => send('DELETE', '/live/servers/' + s.release).catch(problem)}>
          {s.state === 'starting' ? w.cancel : s.state === 'failed' ? w.dismiss : w.stop}</button>}
      </p>
      {s.progress && <Progress of={s.progress} w={w} />}
      {s.error && <p class="failed" role="alert">{s.error}</p>}
      {s.state === 'ready' && !s.own && <p class="quiet">{w.served}</p>}
      {s.kubeconfig && <Fragment>
        <p>{w.clients} <span class="quiet">{w.asUser(s.as)}</span></p>
        <div class="commands"><pre tabIndex={0} aria-label={w.clients}>{text}</pre>
          <button onClick={() => navigator.clipboard.writeText(text).then(() => setCopied(true), () => {})}>{copied ? w.copied : w.copy}</button></div>
      </Fragment>}
      {s.notices.length > 0 && s.state !== 'ready' && <ul class="notices">{s.notices.slice(-4).map((n) => <li>{n}</li>)}</ul>}
    </div>
  );
}

// Progress shows the progress of a build.
export const Progress = ({ of: p, w }: { of: Building; w: LiveWords }) => (
  <p class="progress"><progress aria-label={p.program} max={p.total || undefined} value={p.total ? p.done : undefined} /> {p.program}: {w.stages[p.stage] ?? p.stage}{p.total > 0 && ` ${p.done}/${p.total}`}</p>
);

// useWork runs a form's work on the server until it is done or cancelled.
// wrong is the problem with a field of the form; other problems are the page's.
export function useWork<T>(): { working: boolean; wrong: Problem | null; done: T | null; cancelled: boolean; begin: (work: (signal: AbortSignal) => Promise<T>) => void; cancel: () => void } {
  const { problem } = usePage();
  const [working, setWorking] = useState<AbortController | null>(null);
  const [done, setDone] = useState<T | null>(null);
  const [was, setWas] = useState(false);
  const [wrong, setWrong] = useState<Problem | null>(null);
  const last = useRef<AbortController | null>(null);
  useEffect(() => () => last.current?.abort(), []); // leaving the view cancels the work
  return {
    working: working !== null, wrong, done, cancelled: was, cancel: () => working?.abort(),
    begin(work) {
      last.current?.abort(); // new work cancels earlier work of the form
      const control = last.current = new AbortController(), mine = () => last.current === control;
      problem(null);
      setDone(null);
      setWas(false);
      setWrong(null);
      setWorking(control);
      work(control.signal).then((result) => { if (mine()) setDone(result); }, (e) => {
        if (!mine()) return;
        if (cancelled(e)) setWas(true); else if ((e as Problem).field) setWrong(e as Problem); else problem(e as Problem);
      }).finally(() => { if (mine()) setWorking(null); });
    },
  };
}

// On selects a ready server, if there are several.
function On({ ready, release, onRelease, w }: { ready: LiveServer[]; release: string; onRelease: (r: string) => void; w: LiveWords }) {
  if (ready.length < 2) return null;
  return <label>{w.onServer}<select value={release} onChange={(e) => onRelease(e.currentTarget.value)}>
    {ready.map((s) => <option value={s.release} selected={s.release === release}>{s.release}</option>)}
  </select></label>;
}

// useReady returns the release of the server that a form uses. This is the server that
// became ready last, unless the reader chooses another.
function useReady(ready: LiveServer[]): [string, (r: string) => void] {
  const [chosen, setChosen] = useState('');
  return [ready.find((s) => s.release === chosen)?.release ?? ready.at(-1)?.release ?? '', setChosen];
}

const traceAddress = (id: string) => write(requestAddress({ place: { release: 'live', scenario: id, request: 1 }, view: firstView, more: {} }));

// Outcome shows the result of a form's work.
function Outcome({ trace, cancelled, w }: { trace: LiveTrace | null; cancelled: boolean; w: LiveWords }) {
  return (
    <div class="outcome" role="status">
      {cancelled && <p class="quiet">{w.wasCancelled}</p>}
      {trace && <p>{w.done} <a href={traceAddress(trace.id)}>{trace.title}</a> {trace.status > 0 && <Status of={trace.status} />}</p>}
      {trace && trace.notices.length > 0 && <ul class="notices">{trace.notices.map((n) => <li>{n}</li>)}</ul>}
      {trace?.answer && <Answer of={trace.answer} w={w} />}
    </div>
  );
}

// Status shows an HTTP status in the colour of its kind.
const Status = ({ of }: { of: number }) => <span class={'status ' + (of >= 500 ? 'broken' : of >= 400 ? 'refused' : 'fine')}>{of}</span>;

// Answer shows what the server answered.
function Answer({ of, w }: { of: NonNullable<LiveTrace['answer']>; w: LiveWords }) {
  if (of.hidden) return <p class="quiet">{w.hiddenAnswer}</p>;
  if (of.bytes === 0) return <p class="quiet">{w.noBody}</p>;
  return (
    <details class="answer-body" open>
      <summary>{w.answer(thousands(of.bytes), of.type)}</summary>
      {of.text && <pre tabIndex={0} aria-label={w.answerBody}>{of.text}</pre>}
      {of.cut && <p class="quiet">{of.text ? w.cut : w.notText}</p>}
    </details>
  );
}

function Replay({ ready, w }: { ready: LiveServer[]; w: LiveWords }) {
  const { scenarios } = usePage();
  const [release, setRelease] = useReady(ready);
  const [scenario, setScenario] = useState('get-node');
  const work = useWork<LiveTrace>();
  return (
    <section aria-labelledby="replay">
      <h1 id="replay">{w.replay}</h1>
      <form class="line" onSubmit={(e) => { e.preventDefault(); work.begin((signal) => send('POST', `/live/servers/${release}/replays`, { scenario }, signal)); }}>
        <label>{w.scenario}<select name="scenario" value={scenario} onChange={(e) => setScenario(e.currentTarget.value)}>
          <ScenarioOptions of={scenarios.filter((s) => !s.name.includes('.'))} value={scenario} />
        </select></label>
        <On ready={ready} release={release} onRelease={setRelease} w={w} />
        {work.working ? <button type="button" class="stop" onClick={work.cancel}>{w.cancel}</button> : <button class="go" disabled={!release}>{w.run}</button>}
        {work.working && <span class="quiet">{w.replaying}</span>}
      </form>
      {!release && <p class="quiet">{w.noServer}</p>}
      <Outcome trace={work.done} cancelled={work.cancelled} w={w} />
    </section>
  );
}

export interface TypedRequest { method: string; path: string; as: string; headers: string[]; body: string }

// RequestFields are the fields of a request that the reader writes.
// An error is shown at its field.
export function RequestFields({ askers, first, w, wrong, onChange }: { askers: string[]; first: TypedRequest; w: LiveWords; wrong?: Problem | null; onChange: (r: TypedRequest) => void }) {
  const [r, setR] = useState(first);
  const set = (part: Partial<TypedRequest>) => { const next = { ...r, ...part }; setR(next); onChange(next); };
  const invalid = (field: string) => (wrong?.field === field ? { 'aria-invalid': true, 'aria-describedby': 'field-error' } : {});
  const error = (fields: string[]) => wrong && fields.includes(wrong.field) && <p class="field-error" id="field-error" role="alert">{wrong.message}</p>;
  return (
    <Fragment>
      <div class="line">
        <label>{w.method}<input {...invalid('method')} name="method" class="method" list="methods" value={r.method} required autocomplete="off" spellcheck={false} onInput={(e) => set({ method: e.currentTarget.value })} /></label>
        <datalist id="methods">{['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].map((m) => <option value={m} />)}</datalist>
        <label class="grow">{w.path}<input {...invalid('path')} name="path" value={r.path} required autocomplete="off" spellcheck={false} onInput={(e) => set({ path: e.currentTarget.value })} /></label>
        <label>{w.asker}<select name="asker" value={r.as} onChange={(e) => set({ as: e.currentTarget.value })}>{askers.map((a) => <option value={a} selected={a === r.as}>{a}</option>)}</select></label>
      </div>
      {error(['method', 'path', 'as'])}
      <label class="block">{w.headers}<textarea {...invalid('headers')} name="headers" rows={2} spellcheck={false} value={r.headers.join('\n')} onInput={(e) => set({ headers: e.currentTarget.value.split('\n') })} /></label>
      {error(['headers'])}
      <label class="block">{w.body}<textarea {...invalid('body')} name="body" rows={5} spellcheck={false} value={r.body} onInput={(e) => set({ body: e.currentTarget.value })} /></label>
      {error(['body'])}
    </Fragment>
  );
}

// orderOf returns a request in the API's format.
export const orderOf = (r: TypedRequest) => ({ ...r, headers: r.headers.map((l) => l.trim()).filter((l) => l !== '') });

// examples are requests to start from.
const configMap = (name: string) => `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata:\n  colour: red\n`;
const examples: TypedRequest[] = [
  { method: 'GET', path: '/api/v1/namespaces', as: 'admin', headers: [], body: '' },
  { method: 'POST', path: '/api/v1/namespaces/default/configmaps', as: 'admin', headers: [], body: configMap('settings') },
  { method: 'GET', path: '/api/v1/nodes', as: 'learner', headers: [], body: '' },
  { method: 'POST', path: '/api/v1/namespaces/default/configmaps', as: 'admin', headers: [], body: configMap('Not a valid name') },
];

function Request({ ready, askers, w }: { ready: LiveServer[]; askers: string[]; w: LiveWords }) {
  const [release, setRelease] = useReady(ready);
  const typed = useRef<TypedRequest>({ method: 'GET', path: '/api/v1/nodes', as: 'admin', headers: [], body: '' });
  const work = useWork<LiveTrace>();
  const [example, setExample] = useState(0); // a number for each time that one is taken
  const take = (i: number) => { typed.current = examples[i]; setExample(example + 1); };
  return (
    <section aria-labelledby="request">
      <h1 id="request">{w.request}</h1>
      <p class="examples-of"><span class="quiet">{w.example}</span> {examples.map((e, i) => askers.includes(e.as) && <button type="button" class="link" onClick={() => take(i)}>{w.examples[i]}</button>)}</p>
      <form onSubmit={(e) => { e.preventDefault(); work.begin((signal) => send('POST', `/live/servers/${release}/requests`, orderOf(typed.current), signal)); }}>
        <RequestFields key={example} askers={askers} first={typed.current} w={w} wrong={work.wrong} onChange={(r) => { typed.current = r; }} />
        <div class="line">
          <On ready={ready} release={release} onRelease={setRelease} w={w} />
          {work.working ? <button type="button" class="stop" onClick={work.cancel}>{w.cancel}</button> : <button class="go" disabled={!release}>{w.send}</button>}
          {work.working && <span class="quiet">{w.sending}</span>}
          {!release && <span class="quiet">{w.noServer}</span>}
        </div>
      </form>
      <Outcome trace={work.done} cancelled={work.cancelled} w={w} />
    </section>
  );
}

function Upload({ most, w }: { most: number; w: LiveWords }) {
  const { problem } = usePage();
  const [over, setOver] = useState(false);
  const work = useWork<LiveTrace>();
  const take = (files?: FileList | null) => {
    const file = files?.[0];
    if (!file) return;
    if (file.size > most) { problem(new Problem(413, w.tooLarge(Math.floor(most / 2 ** 20)), '')); return; }
    work.begin((signal) => send('POST', '/uploads?name=' + encodeURIComponent(file.name), file, signal));
  };
  // The whole page accepts a dropped file. Otherwise the browser would open a file that
  // is dropped outside of the frame.
  const latest = useRef(take);
  latest.current = take;
  useEffect(() => {
    const drag = (e: DragEvent) => {
      if (!e.dataTransfer?.types.includes('Files')) return;
      e.preventDefault();
      setOver(e.type === 'dragover');
      if (e.type === 'drop') latest.current(e.dataTransfer.files);
    };
    const leave = (e: DragEvent) => { if (!e.relatedTarget) setOver(false); };
    addEventListener('dragover', drag);
    addEventListener('drop', drag);
    addEventListener('dragleave', leave);
    return () => { removeEventListener('dragover', drag); removeEventListener('drop', drag); removeEventListener('dragleave', leave); };
  }, []);
  return (
    <section aria-labelledby="upload">
      <h1 id="upload">{w.upload}</h1>
      <div class={'drop' + (over ? ' over' : '')}>
        <p class="quiet">{w.uploadText}</p>
        <label class="file">{w.chooseFile}<input type="file" name="upload" accept=".json,.jsonl" onChange={(e) => { take(e.currentTarget.files); e.currentTarget.value = ''; }} /></label>
        {work.working && <span class="quiet">{w.loading}</span>}
      </div>
      <Outcome trace={work.done} cancelled={work.cancelled} w={w} />
    </section>
  );
}

function Traces({ live, w }: { live: State; w: LiveWords }) {
  const newest = live.traces[0];
  return (
    <section class="traces" aria-labelledby="traces">
      <h1 id="traces">{w.traces}</h1>
      <p class="quiet">{live.traces.length ? w.kept(live.limits.traces) : w.none}</p>
      <p class="unseen" role="status">{newest && w.newTrace(newest.title)}</p>
      {live.traces.length > 0 && <div class="table" tabIndex={0} role="region" aria-labelledby="traces"><table>
        <thead><tr><th>{w.what}</th><th>{w.status}</th><th>{w.calls}</th><th>{w.time}</th><th>{w.etcd}</th><th>{w.from}</th><th>{w.save}</th></tr></thead>
        <tbody>{live.traces.map((t) => <Trace key={t.id} t={t} w={w} />)}</tbody>
      </table></div>}
    </section>
  );
}

function Trace({ t, w }: { t: LiveTrace; w: LiveWords }) {
  const traced = t.requests > 0;
  return (
    <tr data-id={t.id}>
      <td class="title">{traced ? <a href={traceAddress(t.id)}>{t.title}</a> : t.title}
        {t.requests > 1 && <span class="quiet"> {w.requests(t.requests)}</span>}{t.error && <div class="failed">{t.error}</div>}</td>
      <td>{t.status ? <Status of={t.status} /> : '–'}{t.hungUp && <span class="quiet"> {w.hungUp}</span>}</td>
      <td class="number">{traced ? thousands(t.calls) : w.untraced}</td>
      <td class="number">{time(t.durationNs)}</td>
      <td>{t.etcd || '–'}</td>
      <td>{w.kinds[t.kind]}{t.release && <span class="quiet"> {t.release}</span>}</td>
      <td>{traced && <a href={apiBase + recordingPath({ release: 'live', scenario: t.id, request: 1 }) + '/export'} download aria-label={w.saveTitle(t.title)}>{w.save}</a>}</td>
    </tr>
  );
}

const time = (ns: number) => ns === 0 ? '–' : ns < 1e6 ? `${(ns / 1e3).toPrecision(3)}µs` : ns < 1e9 ? `${(ns / 1e6).toPrecision(3)}ms` : `${(ns / 1e9).toPrecision(3)}s`;
