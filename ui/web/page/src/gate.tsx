import { Fragment, h } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useAsking, usePage, useRequest } from './context.ts';
import { gateWords } from './gate-words.ts';
import { functionAddress, write } from './link.ts';
import { Found, useOpen } from './search.tsx';

interface GateFacts {
  name: string; text: string; k8sVersion: string; lacks?: boolean; recordings: number;
  defaults: { program: string; first: string; last: string; text: string }[];
  places: { function: string; name: string; file: string; asks: number[]; decides: string[]; scenarios: string[] }[];
}
// An AskedGate is a gate that functions ask for.
export interface AskedGate { name: string; known: boolean; on: boolean; functions: string[] }

// gateAddress returns the address of a gate's page: #/gate/NAME?release=RELEASE. Without a
// release, it is the newest one with the gate.
export const gateAddress = (name: string, release = '') => write({ parts: ['gate', name], query: release ? { release } : {} });

// GateView shows a feature gate: its defaults, the functions that ask for it, and the
// recordings that call them.
export function GateView() {
  const { api, lang, address, lost, problem, words: common } = usePage();
  const words = gateWords[lang];
  const name = address.parts[1] ?? '', { release = 'latest' } = address.query;
  const [got, setGot] = useState<GateFacts | null>(null);
  const open = useOpen();
  useAsking(() => {
    let left = false;
    setGot(null);
    problem(null);
    api.get<GateFacts>(`/releases/${encodeURIComponent(release)}/gates/${encodeURIComponent(name)}`, { lang }).then((g) => left || setGot(g), (e) => left || lost(e));
    return () => { left = true; };
  }, [name, release, lang]);
  useEffect(() => { if (got) document.title = `${got.name} · apitrace`; }, [got]);
  if (!got) return <p class="quiet loading">{common.loading}</p>;
  const g = got, of = g.k8sVersion;
  const list = (title: string, places: GateFacts['places'], facts: (p: GateFacts['places'][0]) => string) => places.length > 0 && <section>
    <h2>{title}</h2>
    <ul>{places.map((p) => <Found key={p.function} text="" onOpen={open}
      hit={{ kind: 'function', text: p.function, short: p.name, places: p.scenarios.map((scenario) => ({ scenario, releases: [of] })) }}
      more={<p class="places quiet">{[p.file.slice(p.file.lastIndexOf('/') + 1), facts(p)].filter((t) => t).join(', ')}{p.scenarios.length === 0 && ` · ${words.notCalled}`}</p>} />)}</ul>
  </section>;
  return (
    <div class="found gate">
      <p class="kind">{words.name}</p>
      <h1>{g.name}</h1>
      <p>{g.text}</p>
      {g.lacks ? <p class="quiet">{words.lacks(of)}</p> : g.places.length === 0 && <p class="quiet">{words.none(of)}</p>}
      {list(words.asks(of), g.places.filter((p) => p.asks.length > 0 || p.decides.length === 0), (p) => p.asks.length > 0 ? words.lines(p.asks.join(', ')) : '')}
      {list(words.decides(of), g.places.filter((p) => p.decides.length > 0), (p) => words.calls(p.decides.join(', ')))}
      <section>
        <h2>{words.defaults}</h2>
        <table><tbody>{g.defaults.map((d) => <tr><th scope="row">{d.program}</th><td>{d.first === d.last ? d.first : `${d.first} ${words.to} ${d.last}`}</td><td>{d.text}</td></tr>)}</tbody></table>
      </section>
      <p class="quiet">{words.note}</p>
    </div>
  );
}

// GateLinks lists gates, each with its default in a release.
export function GateLinks({ of, release }: { of: AskedGate[]; release: string }) {
  const words = gateWords[usePage().lang];
  return <ul>{of.map((g) => <li><a class="name" href={gateAddress(g.name, release)}>{g.name}</a>{g.known && <span class="quiet"> {g.on ? words.on(release) : words.off(release)}</span>}</li>)}</ul>;
}

// few is the number of gates from which on their list has a filter.
const few = 5;

// GatesOfRequest lists the gates that the functions of the shown request ask for, once the
// reader opens it.
export function GatesOfRequest() {
  const { api, lang, problem, words: common } = usePage();
  const { path, recording } = useRequest();
  const words = gateWords[lang];
  const [opened, setOpened] = useState(false);
  const [text, setText] = useState('');
  const [got, setGot] = useState<{ path: string; items: AskedGate[] } | null>(null);
  useAsking(() => {
    if (!opened) return;
    let left = false;
    api.get<{ items: AskedGate[] }>(path + '/gates').then(({ items }) => left || setGot({ path, items }), (e) => left || problem(e));
    return () => { left = true; };
  }, [path, opened]);
  if (!api.live || !recording) return null;
  const items = got?.path === path ? got.items : null;
  const about = (g: AskedGate) => g.known ? (g.on ? words.on : words.off)(recording.k8sVersion) : '';
  const wanted = text.trim().toLowerCase().split(/\s+/);
  const shown = items?.filter((g) => wanted.every((w) => `${g.name} ${about(g)} ${g.functions.join(' ')}`.toLowerCase().includes(w))) ?? [];
  return (
    <details class="gates-of" onToggle={(e) => setOpened(e.currentTarget.open)}>
      <summary>{words.ofRequest}</summary>
      {!items ? <p class="quiet">{common.loading}</p> : items.length === 0 ? <p class="quiet">{words.noneHere}</p> : <Fragment>
      {items.length > few && <p class="filter"><input type="search" value={text} placeholder={words.filter} aria-label={words.filter} onInput={(e) => setText(e.currentTarget.value)} /></p>}
      {shown.length === 0 && <p class="quiet">{words.noGate(text)}</p>}
      <ul>{shown.map((g) => (
        <li key={g.name}>
          <a href={gateAddress(g.name, recording.k8sVersion)}>{g.name}</a>
          <span class="quiet">{g.known && <Fragment> {about(g)},</Fragment>} {words.by} </span>
          {g.functions.map((f, i) => <Fragment>{i > 0 && ', '}<a class="name" href={functionAddress(f, recording.k8sVersion)}>{f.slice(f.lastIndexOf('/') + 1)}</a></Fragment>)}
        </li>
      ))}</ul>
      </Fragment>}
    </details>
  );
}
