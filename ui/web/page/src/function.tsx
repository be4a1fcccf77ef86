import { ComponentChildren, Fragment, h } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Problem, Source } from './api.ts';
import { Listing } from './code.tsx';
import { useAsking, useLatest, usePage } from './context.ts';
import { FunctionFacts, FunctionHistory, Neighbour, Use } from './function-data.ts';
import { GateLinks } from './gate.tsx';
import { gateWords } from './gate-words.ts';
import { firstView, functionAddress, requestAddress, write } from './link.ts';
import { locate } from './search.tsx';
import { thousands, Words } from './words.ts';

// few is the number of entries of a list that are shown at first. A list of more than manyUses
// requests has a filter.
const few = 10, manyUses = 20;

// FunctionView shows what is known of a function in a release: its role, its source, its
// callers, callees and values in the recordings, the requests that call it, and the
// releases. Its address is #/function/NAME?release=RELEASE.
export function FunctionView() {
  const { api, lang, words: common, address, problem, lost } = usePage();
  const words = common.function;
  const name = address.parts[1] ?? '', { release = 'latest' } = address.query;
  const [got, setGot] = useState<FunctionFacts | null>(null);
  const path = `/releases/${encodeURIComponent(release)}/function`;
  useAsking(() => {
    if (!name) return;
    let left = false;
    setGot(null);
    problem(null);
    api.get<FunctionFacts>(path, { function: name, lang }).then((f) => left || setGot(f), (e) => left || lost(e));
    return () => { left = true; };
  }, [name, release, lang]);
  useEffect(() => { if (got) document.title = `${got.name}, ${got.k8sVersion} · apitrace`; }, [got]);
  const history = useHistory(got?.function);
  if (!name) return <p class="quiet loading">{words.none} <a href="#/search">{common.searchPage}</a></p>;
  if (!got) return <p class="quiet loading">{common.loading}</p>;
  const f = got, cut = f.function.length - f.name.length;
  const direct = (all: Neighbour[]) => all.filter((n) => !n.indirect), indirect = (all: Neighbour[]) => all.filter((n) => n.indirect);
  return (
    <div class="function" style={(f.colour ? { '--layer': f.colour } : {}) as Record<string, string>}>
      <header>
        <p class="package">{f.function.slice(0, cut)}</p>
        <h1>{f.name}</h1>
        <p class="about"><span class="layer">{words.help(f.title)}</span><span>{f.k8sVersion}</span>{f.calls > 0 && <span>{words.times(thousands(f.calls))}</span>}{history.of && [since(history.of, f, words), calledSince(history.of, words)].map((says) => says && <span>{says}</span>)}</p>
        <p class="note">{f.note || <span class="quiet">{words.notKey}</span>}</p>
        {f.noSpan ? <p class="quiet">{words.noSpan(f.noSpan)}</p> : f.uses.length === 0 && <p class="quiet">{words.notCalled(f.k8sVersion)}</p>}
        {f.only && <p class="warning">{words.still(f.only, f.k8sVersion)}</p>}
      </header>
      <SourceOf key={f.function + f.k8sVersion} f={f} />
      <div class="facts-of">
        <List title={words.callers} of={direct(f.callers)} item={(n) => <Next n={n} f={f} />} />
        <List title={words.reached} of={indirect(f.callers)} item={(n) => <Next n={n} f={f} />} />
        {f.calls > 0 && f.callers.length === 0 && <p class="quiet">{words.entry}</p>}
        <List title={words.callees} of={byLine(direct(f.callees))} item={(of) => <CallsOfLine of={of} f={f} />} />
        <List title={words.leads} of={indirect(f.callees)} item={(n) => <Next n={n} f={f} />} />
        <Uses f={f} />
        {f.values.length > 0 && <section aria-label={words.values}>
          <h2>{words.values}</h2>
          <dl>{f.values.map((v) => <div><dt>{v.name}</dt>{v.seen.map((s) => <dd>{s === '' ? '""' : s}</dd>)}{v.more && <dd class="quiet">{words.moreValues(v.more)}</dd>}</div>)}</dl>
        </section>}
        {(f.gates?.length ?? 0) > 0 && <section aria-label={gateWords[lang].ofFunction}><h2>{gateWords[lang].ofFunction}</h2><GateLinks of={f.gates!} release={f.k8sVersion} /></section>}
        <List title={words.errors} of={f.errors} item={(e) => <span class="failure">{e}</span>} />
        <History f={f} history={history} />
      </div>
    </div>
  );
}

// List shows the first entries of a list below its head, and the others when asked. Without
// entries, it shows none, if that is given.
function List<T>({ title, of, item, head, none }: { title: string; of: T[]; item: (t: T) => ComponentChildren; head?: ComponentChildren; none?: string }) {
  const { words: { function: words } } = usePage();
  const [all, setAll] = useState(false);
  if (of.length === 0 && !none) return null;
  const shown = all || of.length <= few + 2 ? of : of.slice(0, few);
  return (
    <section aria-label={title}>
      <h2>{title}</h2>
      {head}
      {of.length === 0 && <p class="quiet">{none}</p>}
      <ul>{shown.map((t) => <li>{item(t)}</li>)}</ul>
      {shown.length < of.length && <button class="link" onClick={() => setAll(true)}>{words.allOf(thousands(of.length))}</button>}
    </section>
  );
}

// Next is a caller or a callee. It leads to its page. Below the place of its call, it has none.
const Next = ({ n, f, below }: { n: Neighbour; f: FunctionFacts; below?: boolean }) => (
  <Fragment><a class="name" href={functionAddress(n.function, f.k8sVersion)}>{n.name}</a><Times n={n.calls} />{!below && <Fragment>{' '}<span class="place">{n.place}</span></Fragment>}{n.how && <span class="quiet">{n.how}</span>}</Fragment>
);

const Times = ({ n }: { n: number }) => n > 1 ? <span class="count"> ×{thousands(n)}</span> : null;

// byLine groups callees by the line that calls them, in order of the lines. Callees without a
// known line are last.
function byLine(callees: Neighbour[]): Neighbour[][] {
  const line = (n: Neighbour) => (n.place ? Number(n.place.slice(n.place.lastIndexOf(':') + 1)) : Infinity);
  const by = new Map<string, Neighbour[]>();
  for (const n of callees) by.set(n.place ?? '', [...(by.get(n.place ?? '') ?? []), n]);
  return [...by.values()].sort(([a], [b]) => line(a) - line(b) || 0);
}

// CallsOfLine lists the functions that a line calls. Those with the same last name are folded:
// the line calls a method of an interface.
function CallsOfLine({ of, f }: { of: Neighbour[]; f: FunctionFacts }) {
  const { words: { function: words } } = usePage();
  const by = new Map<string, Neighbour[]>();
  for (const n of of) {
    const name = n.name.slice(n.name.lastIndexOf('.') + 1);
    by.set(name, [...(by.get(name) ?? []), n]);
  }
  return (
    <Fragment>
      <span class="place">{of[0].place ?? words.noLine}</span>
      <ul>{[...by].map(([name, all]) => {
        const functions = new Set(all.map((n) => n.function)).size, each = all.map((n) => <li><Next n={n} f={f} below /></li>);
        return functions === 1 ? each : <li><details><summary>{words.sameName(functions, name)}<Times n={all.reduce((sum, n) => sum + n.calls, 0)} /></summary><ul>{each}</ul></details></li>;
      })}</ul>
    </Fragment>
  );
}

// Uses lists the requests that call the function, by scenario. A long list has a filter.
function Uses({ f }: { f: FunctionFacts }) {
  const { words: { function: words }, scenarios } = usePage();
  const [text, setText] = useState('');
  const titles = new Map(scenarios.map((s) => [s.name, s.title]));
  const wanted = text.trim().toLowerCase().split(/\s+/);
  const by = new Map<string, Use[]>();
  for (const u of f.uses) {
    const all = `${u.scenario} ${titles.get(u.scenario) ?? ''} ${u.method} ${u.path} ${u.status}`.toLowerCase();
    if (wanted.every((w) => all.includes(w))) by.set(u.scenario, [...(by.get(u.scenario) ?? []), u]);
  }
  return (
    <List title={words.uses(new Set(f.uses.map((u) => u.scenario)).size, f.recordings)} of={[...by.values()]}
      head={f.uses.length > manyUses && <p class="filter"><input type="search" value={text} placeholder={words.filter} aria-label={words.filter} onInput={(e) => setText(e.currentTarget.value)} /></p>}
      none={text && words.noUse(text)}
      item={(uses) => uses.length === 1 ? <UseOf u={uses[0]} f={f} /> : <Fragment>{uses[0].scenario} <span class="quiet">{titles.get(uses[0].scenario)}</span><ul>{uses.map((u) => <li><UseOf u={u} f={f} below /></li>)}</ul></Fragment>} />
  );
}

// UseOf is a request that calls the function. It leads to the first call. Below the name of its
// scenario, it has only its own.
function UseOf({ u, f, below }: { u: Use; f: FunctionFacts; below?: boolean }) {
  const { api, goTo, problem, scenarios } = usePage();
  const title = scenarios.find((s) => s.name === u.scenario)?.title;
  const begin = useLatest();
  const place = { release: f.k8sVersion, scenario: u.scenario, request: u.request };
  const request = `${u.method} ${u.path}${u.status > 0 ? ` → ${u.status}` : ''}`;
  const find = () => {
    const wanted = begin();
    locate(api, { kind: 'function', text: f.function, short: f.name, places: [] }, f.k8sVersion, u.scenario).then(([at, call]) => { if (wanted()) goTo(requestAddress({ place: at, view: firstView, call, more: {} })); }, (e) => { if (wanted()) problem(e); });
  };
  return (
    <Fragment>
      {u.request > 0 ? <a class={below ? 'name request-of' : 'name'} href={write(requestAddress({ place, view: firstView, call: { function: f.function, caller: '', nth: 1 }, more: {} }))}>{below ? request : u.scenario}</a> : <button class="link" onClick={find}>{u.scenario}</button>}
      {u.calls > 1 && <span class="count"> ×{thousands(u.calls)}</span>}{' '}
      {!below && <span class="quiet">{u.method ? <span class="request-of">{request}</span> : title}</span>}
    </Fragment>
  );
}

// useHistory returns the history of a function, or the problem with it. Both are null at first.
function useHistory(name?: string): { of: FunctionHistory | null; problem: Problem | null } {
  const { api, lang } = usePage();
  const [history, setHistory] = useState<{ of: FunctionHistory | null; problem: Problem | null }>({ of: null, problem: null });
  useAsking(() => {
    setHistory({ of: null, problem: null });
    if (!name) return;
    let left = false;
    api.get<FunctionHistory>('/history/function', { function: name, lang }).then((of) => left || setHistory({ of, problem: null }), (problem) => left || setHistory({ of: null, problem }));
    return () => { left = true; };
  }, [name, lang]);
  return history;
}

// since says in which releases the source has the function under the name of the page, without a
// gap around the release of the page, and what is known of the neighbouring releases: the
// function in its place, or that there is none. It is empty if the page has one release.
function since({ releases }: FunctionHistory, f: FunctionFacts, words: Words['function']): string {
  const all = [...releases].reverse(), at = all.findIndex((r) => r.k8sVersion === f.k8sVersion);
  if (all.length === 1 || !all[at]?.known) return '';
  // end returns the last release from i on that has the same name as i.
  const end = (i: number, step: number): number => all[i + step]?.known && all[i + step].name === all[i].name ? end(i + step, step) : i;
  const first = end(at, -1), last = end(at, 1), before = all[first - 1], after = all[last + 1], beside: string[] = [];
  const version = (i: number) => all[i].k8sVersion;
  if (first === 0 && !after) return words.everyRelease(version(0));
  for (let i = first - 1; i >= 0; i--) {
    if (!all[i].known) { beside.push(words.other(version(i), all[i].state)); break; }
    const to = i;
    i = end(i, -1);
    beside.push(words.until(version(to), all[to].name, i === 0 || !all[i - 1].known ? version(i) : '', i === 0));
  }
  if (after) beside.push(after.known ? words.after(after.k8sVersion, after.name) : words.other(after.k8sVersion, after.state));
  return words.since(version(first), after ? version(last) : '', !!(before?.known || after?.known), first === 0) + words.brackets(beside.join(words.apart));
}

// calledSince says since which release recorded scenarios call the function, without a gap up to
// the newest release. It is empty if they do not call it there, or if the page has one release.
function calledSince({ releases }: FunctionHistory, words: Words['function']): string {
  const gap = releases.findIndex((r) => r.scenarios === 0);
  return gap === 0 || releases.length === 1 ? '' : words.calledSince(gap < 0 ? '' : releases[gap - 1].k8sVersion, gap < 0);
}

// History shows the function in each release, the newest first.
function History({ f, history: { of: history, problem } }: { f: FunctionFacts; history: { of: FunctionHistory | null; problem: Problem | null } }) {
  const { words: common } = usePage();
  const words = common.function;
  return (
    <section class="releases-of" aria-label={words.releases}>
      <h2>{words.releases}</h2>
      {problem ? <p class="quiet">{problem.message}</p> : !history ? <p class="quiet">{common.loading}</p> : <table>
        <thead><tr><th>{common.release}</th><th>{words.sign}</th><th>{words.scenarios}</th><th>{words.place}</th></tr></thead>
        <tbody>{history.releases.map((r) => (
          <tr class={r.known ? '' : 'gone'}>
            <th scope="row">{!r.known ? r.k8sVersion : r.k8sVersion === f.k8sVersion ? <b title={words.here}>{r.k8sVersion}</b> : <a href={functionAddress(r.function, r.k8sVersion)}>{r.k8sVersion}</a>}</th>
            <td><span role="img" aria-label={r.state} title={r.state}>{r.sign}</span></td>
            <td>{r.scenarios > 0 && words.of(r.scenarios, r.recorded)}</td>
            <td>{r.place}{r.known && r.name && r.name !== f.name && <span class="quiet"> {words.before(r.name)}</span>}</td>
          </tr>
        ))}</tbody>
      </table>}
      {history && <p class="signs-of quiet">{[...new Map(history.releases.map((r) => [r.sign, r.state]))].map(([sign, state]) => <span>{sign} {state}</span>)}</p>}
    </section>
  );
}

// SourceOf shows the text of the function. The functions that it calls lead to their
// pages.
function SourceOf({ f }: { f: FunctionFacts }) {
  const { api, words: common } = usePage();
  const [source, setSource] = useState<Source | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [again, setAgain] = useState(0);
  const path = f.source ?? `/releases/${encodeURIComponent(f.k8sVersion)}/source`;
  useAsking(() => {
    let left = false;
    setProblem(null);
    api.get<Source>(path, f.source ? {} : { function: f.function, ...(again ? { again } : {}) }).then((s) => left || setSource(s), (e) => left || setProblem(e));
    return () => { left = true; };
  }, [path, f.function, again]);
  if (!source && !problem) return <p class="quiet">{common.loading}</p>;
  if (problem || source!.missing) return (
    <div class="nosource">
      <p><b>{common.noSource}{common.colon}</b>{problem?.message ?? source!.missing}{common.fullStop}</p>
      {(problem?.action || source?.action) && <p>{problem?.action ?? source!.action}</p>}
      <p>{api.live && <button onClick={() => setAgain(again + 1)}>{common.tryAgain}</button>}{f.url && <a href={f.url} target="_blank" rel="noreferrer">{common.atUpstream}</a>}</p>
    </div>
  );
  return <Listing source={source!} mark={(m) => <a href={functionAddress(m.function, f.k8sVersion)}>→ {m.name}</a>} />;
}
