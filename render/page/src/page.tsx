import { Fragment, h, render } from 'preact';
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { CallList, Details, get, Problem, Recording, recordingPath, Release, requestPath, Scenario, View } from './api.ts';
import { Code } from './code.tsx';
import { Link, Mode, parse, write } from './link.ts';
import { All } from './list.tsx';
import { Search } from './search.tsx';
import { Opened, Row, rowsOf, shownAt } from './rows.ts';
import { Heading, Tree } from './tree.tsx';
import { Lang, words as allWords } from './words.ts';

type Theme = 'system' | 'light' | 'dark';

const stored = (name: string) => { try { return localStorage.getItem(name); } catch { return null; } };
const store = (name: string, value: string) => { try { localStorage.setItem(name, value); } catch { /* a private window */ } };

// wide tells whether there is room for code beside the tree.
const wide = () => matchMedia('(min-width: 801px)').matches;

const firstLang = (): Lang => (stored('lang') ?? navigator.language).startsWith('zh') ? 'zh' : 'en';

function Page() {
  const [lang, setLang] = useState<Lang>(firstLang);
  const [theme, setTheme] = useState<Theme>((stored('theme') as Theme) ?? 'system');
  const [link, setLink] = useState<Link>(() => parse(location.hash));
  const [releases, setReleases] = useState<Release[]>([]);
  const [scenarios, setScenarios] = useState<Scenario[]>([]);
  const [recording, setRecording] = useState<Recording | null>(null);
  const [seen, setSeen] = useState<{ path: string; view: View } | null>(null);
  const [told, setTold] = useState<{ path: string; details: Details } | null>(null);
  const [picked, setPicked] = useState<{ path: string; call: number } | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [notice, setNotice] = useState('');
  const [opened, setOpened] = useState<Opened>(new Map());
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const [focus, setFocus] = useState('s1');
  const focused = useRef<number | null>(null); // the selected call that has had the focus
  const here = useRef(link);
  here.current = link;
  const words = allWords[lang];
  const place = link.place;
  const path = requestPath(place);
  // What was loaded of another request says nothing here.
  const selected = picked?.path === path ? picked.call : null;
  const view = seen?.path === path ? seen.view : null;
  const details = told?.path === path ? told.details : null;

  const searchBox = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const slash = (e: KeyboardEvent) => {
      if (e.key !== '/' || e.target instanceof HTMLInputElement) return;
      e.preventDefault();
      searchBox.current?.focus();
    };
    addEventListener('keydown', slash);
    return () => removeEventListener('keydown', slash);
  }, []);
  useEffect(() => {
    document.documentElement.lang = lang;
    store('lang', lang);
  }, [lang]);
  useEffect(() => {
    if (theme === 'system') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    store('theme', theme);
  }, [theme]);

  // The address is the state: who goes back gets what was there.
  const goTo = useCallback((next: Link, replace = false) => {
    const address = write(next);
    if (address !== location.hash) history[replace ? 'replaceState' : 'pushState'](null, '', address);
    setLink(next);
  }, []);
  useEffect(() => {
    const changed = () => setLink(parse(location.hash));
    addEventListener('popstate', changed);
    return () => removeEventListener('popstate', changed);
  }, []);

  useEffect(() => { get<{ items: Release[] }>('/releases').then((l) => setReleases(l.items), setProblem); }, []);
  useEffect(() => { get<{ items: Scenario[] }>('/scenarios', { lang }).then((l) => setScenarios(l.items), setProblem); }, [lang]);

  useEffect(() => {
    let left = false;
    setProblem(null);
    get<Recording>(recordingPath(place), { lang }).then((r) => left || setRecording(r), (e) => left || setProblem(e));
    get<View>(path + '/view', { lang }).then((v) => left || setSeen({ path, view: v }), (e) => left || setProblem(e));
    return () => { left = true; };
  }, [path, lang]);
  useEffect(() => { setOpened(new Map()); setClosed(new Set()); setFocus('s1'); focused.current = null; }, [path]);
  useEffect(() => {
    if (recording) document.title = `${recording.scenario}, ${recording.k8sVersion} · apitrace`;
  }, [recording]);

  // The call that the link names.
  const name = link.call;
  useEffect(() => {
    let left = false;
    if (!name) { setPicked(wide() ? { path, call: 0 } : null); setNotice(''); return; }
    get<{ index: number; exact: boolean }>(path + '/find', { function: name.function, caller: name.caller, nth: name.nth })
      .then((found) => {
        if (left) return;
        setPicked(found.index < 0 ? null : { path, call: found.index });
        setNotice(found.exact || !name.caller && found.index >= 0 ? '' : found.index < 0 ? words.notCalled(name.function) : words.notExact);
      }, (e: Problem) => left || setProblem(e));
    return () => { left = true; };
  }, [path, name?.function, name?.caller, name?.nth, lang]);
  useEffect(() => {
    let left = false;
    if (selected === null) return;
    get<Details>(`${path}/calls/${selected}`, { lang }).then((d) => left || setTold({ path, details: d }), (e) => left || setProblem(e));
    return () => { left = true; };
  }, [path, selected, lang]);

  const select = useCallback((call: number, line?: number) => {
    const at = here.current;
    get<Details>(`${requestPath(at.place)}/calls/${call}`, { lang }).then((d) => {
      if (requestPath(here.current.place) !== requestPath(at.place)) return;
      setPicked({ path: requestPath(at.place), call });
      setTold({ path: requestPath(at.place), details: d });
      goTo({ ...here.current, call: { function: d.call.function, caller: d.stack[0]?.function ?? '', nth: d.nth }, line });
    }, setProblem);
  }, [lang, goTo]);

  // open loads the calls that a call made; in another request since, it does nothing.
  const open = useCallback(async (call: number, from = 0) => {
    const stays = () => requestPath(here.current.place) === path;
    if (!stays()) return;
    const list = await get<CallList>(`${path}/calls/${call}/children`, { from, limit: 200 });
    if (!stays()) return;
    setOpened((known) => new Map(known).set(call, { items: [...(from ? known.get(call)?.items ?? [] : []), ...list.items], total: list.total }));
  }, [path]);

  const rows = useMemo(() => (view ? rowsOf(view, opened, closed) : []), [view, opened, closed]);

  // A selected call that is folded is shown: what is between it and the nearest step is opened.
  useEffect(() => {
    if (!view || !details || details.call.index !== selected || link.mode !== 'steps') return;
    if (shownAt(rows, selected) >= 0) return;
    const way = [selected, ...details.stack.map((f) => f.index)];
    const between = way.slice(1, way.indexOf(details.step) + 1).reverse();
    setClosed((known) => new Set([...known].filter((k) => !k.startsWith('s') && !way.includes(Number(k.slice(1))))));
    (async () => { for (const call of between) if (!opened.has(call)) await open(call); })().catch(setProblem);
  }, [view, details, selected, link.mode]);
  // It has the focus once, when it comes into sight; from then on the focus is the reader's.
  useEffect(() => {
    if (selected === null) return;
    const at = shownAt(rows, selected);
    if (at < 0) return;
    const first = focused.current !== selected;
    focused.current = selected;
    setFocus((known) => (!first && rows.some((r) => r.key === known) ? known : rows[at].key));
  }, [rows, selected]);

  const toggle = useCallback((row: Row) => {
    if (row.kind === 'call' && !opened.has(row.call) && row.open === false && !closed.has(row.key)) { open(row.call).catch(setProblem); return; }
    setClosed((known) => {
      const next = new Set(known);
      if (!next.delete(row.key)) next.add(row.key);
      return next;
    });
  }, [opened, closed, open]);
  const fold = useCallback((call: number) => {
    if (!opened.has(call)) { open(call).catch(setProblem); setClosed((known) => new Set([...known].filter((k) => k !== 'c' + call))); return; }
    setOpened((known) => { const next = new Map(known); next.delete(call); return next; });
  }, [opened, open]);

  const topics = useMemo(() => {
    const all = new Map<string, Scenario[]>();
    for (const s of scenarios) all.set(s.topic, [...(all.get(s.topic) ?? []), s]);
    return [...all];
  }, [scenarios]);
  const chosen = scenarios.find((s) => s.name === place.scenario);
  const release = recording?.k8sVersion ?? place.release;
  const change = (p: Partial<Link['place']>, keep = false) =>
    goTo({ place: { ...place, release, ...p }, mode: link.mode, call: keep ? link.call : undefined });
  const mode = (m: Mode) => goTo({ ...link, mode: m, search: undefined });
  const ready = details && details.call.index === selected;

  return (
    <Fragment>
      <header class="top">
        <a class="brand" href="#/">apitrace</a>
        <select aria-label={words.scenario} class="scenario" value={place.scenario}
          onChange={(e) => {
            const s = scenarios.find((x) => x.name === e.currentTarget.value);
            change({ scenario: e.currentTarget.value, request: 1, ...(s && !s.releases.includes(release) ? { release: s.releases[0] } : {}) });
          }}>
          {!chosen && <option value={place.scenario}>{place.scenario}</option>}
          {topics.map(([topic, list]) => <optgroup label={topic}>{list.map((s) => <option value={s.name} selected={s.name === place.scenario}>{s.name === s.title ? s.name : `${s.name}: ${s.title}`}</option>)}</optgroup>)}
        </select>
        <select aria-label={words.release} value={release} onChange={(e) => change({ release: e.currentTarget.value }, true)}>
          {(chosen?.releases ?? [release]).map((r) => <option value={r} selected={r === release}>{r}</option>)}
        </select>
        {recording && recording.requests.length > 1 && (
          <select aria-label={words.request} class="requests" value={String(place.request)} onChange={(e) => change({ request: Number(e.currentTarget.value) })}>
            {recording.requests.map((r) => <option value={String(r.number)} selected={r.number === place.request}>{`${r.number}  ${r.method} ${r.path} → ${r.status}`}</option>)}
          </select>
        )}
        <span class="gap" />
        <form class="search" role="search" onSubmit={(e) => {
          e.preventDefault();
          const text = (e.currentTarget.elements.namedItem('text') as HTMLInputElement).value.trim();
          goTo({ ...link, search: text || undefined });
        }}>
          <input name="text" type="search" key={link.search ?? ''} defaultValue={link.search ?? ''} placeholder={words.search} aria-label={words.search} ref={searchBox} />
        </form>
        <span class="switch" role="group" aria-label={words.view}>
          <button aria-pressed={link.mode === 'steps'} onClick={() => mode('steps')}>{words.steps}</button>
          <button aria-pressed={link.mode === 'calls'} onClick={() => mode('calls')}>{words.allCalls}</button>
        </span>
        <select aria-label={words.colours} class="theme" value={theme} onChange={(e) => setTheme(e.currentTarget.value as Theme)}>
          {(['system', 'light', 'dark'] as Theme[]).map((t) => <option value={t} selected={t === theme}>{words[t]}</option>)}
        </select>
        <button class="language" lang={lang === 'en' ? 'zh' : 'en'} title={words.language} onClick={() => setLang(lang === 'en' ? 'zh' : 'en')}>{words.languageShort}</button>
      </header>
      {problem && <div class="problem" role="alert"><b>{problem.message}</b> {problem.action}</div>}
      {!problem && notice && <div class="problem notice" role="status">{notice}</div>}
      {link.search && (
        <main class="results">
          <Search text={link.search} words={words} onOpen={(to, call) => goTo({ place: to, mode: 'steps', call })} onProblem={setProblem} />
        </main>
      )}
      {!link.search && <main class={link.call ? '' : 'alone'}>
        <section class="left" aria-label={words.tree}>
          {view && link.mode === 'steps' && (
            <div class="scroll">
              <Heading view={view} />
              {chosen?.description && <p class="description">{chosen.description}</p>}
              <Tree rows={rows} selected={selected} focus={focus} words={words} onFocus={setFocus} onSelect={select} onToggle={toggle}
                onFold={fold} onMore={(of) => open(of, opened.get(of)?.items.length ?? 0).catch(setProblem)} opened={(call) => opened.has(call)} />
            </div>
          )}
          {view && link.mode === 'calls' && (
            <Fragment>
              <div class="request"><h1>{view.request}</h1><p class="facts">{view.facts}</p></div>
              <All place={place} total={view.calls} selected={selected} words={words} onSelect={select} />
            </Fragment>
          )}
          {!view && !problem && <p class="quiet loading">{words.loading}</p>}
        </section>
        <section class="right" aria-label={words.source}>
          {ready ? <Code place={place} details={details} line={link.line} words={words} onSelect={select} onBack={() => history.back()} address={write(link)} />
            : selected === null ? <p class="quiet pick">{words.pick}</p> : <p class="quiet loading">{words.loading}</p>}
        </section>
      </main>}
    </Fragment>
  );
}

render(<Page />, document.body);
