import { h, render } from 'preact';
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Api, Problem, Recording, Release, Scenario } from './api.ts';
import { PageContext, useAsking } from './context.ts';
import { useFocusKept } from './focus.ts';
import { Header, RequestBar, Theme } from './header.tsx';
import { KeyHelp } from './help.tsx';
import { during } from './idle.ts';
import { Address, parse, requestLink, startAt, write } from './link.ts';
import { connect } from './live-state.ts';
import { Nowhere } from './nowhere.tsx';
import { RequestPage } from './request.tsx';
import { useTopOfPage } from './scroll.ts';
import { server } from './server.ts';
import { fileData, LibraryPiece, siteData, still } from './still.ts';
import { pageAt, requestViews } from './views.ts';
import { Lang, words as allWords } from './words.ts';

const stored = (name: string) => { try { return localStorage.getItem(name); } catch { return null; } };
const store = (name: string, value: string) => { try { localStorage.setItem(name, value); } catch { /* a private window */ } };

const known = 'known'; // the state of the entries in the history that the page has shown

const firstLang = (): Lang => (document.documentElement.dataset.lang ?? stored('lang') ?? navigator.language).startsWith('zh') ? 'zh' : 'en';

// Page shows the view that the address names.
function Page({ api }: { api: Api }) {
  const [lang, setLang] = useState<Lang>(firstLang);
  const [theme, setTheme] = useState<Theme>((stored('theme') as Theme) ?? 'system');
  const [address, setAddress] = useState<Address>(() => parse(location.hash));
  const [releases, setReleases] = useState<Release[]>([]);
  const [scenarios, setScenarios] = useState<Scenario[]>([]);
  const [recording, setRecording] = useState<Recording | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [notice, setNotice] = useState('');
  const [lost, setLost] = useState<{ at: string; status: number } | null>(null);
  const words = allWords[lang];

  // The effects of the views run before this component's effects, and may request
  // sentences in this language. So the language is set while the page is drawn.
  document.documentElement.lang = lang;
  useEffect(() => store('lang', lang), [lang]);
  useEffect(() => {
    if (theme === 'system') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    store('theme', theme);
  }, [theme]);

  // The address is the state: going back in the browser's history
  // restores the earlier view.
  const back = useRef(false);
  const goTo = useCallback((next: Address, replace = false) => {
    const text = write(next);
    if (text !== location.hash) history[replace ? 'replaceState' : 'pushState'](known, '', text);
    back.current = false;
    setAddress(parse(text));
  }, []);
  // The state of an entry in the history tells the reader's way back from a followed link.
  useEffect(() => {
    history.replaceState(known, '');
    const changed = (e: PopStateEvent) => {
      back.current = e.state === known;
      history.replaceState(known, '');
      setAddress(parse(location.hash));
    };
    addEventListener('popstate', changed);
    return () => removeEventListener('popstate', changed);
  }, []);

  useEffect(() => { api.get<{ items: Release[] }>('/releases').then((l) => setReleases(l.items), setProblem); }, []);
  useAsking(() => {
    let left = false;
    api.get<{ items: Scenario[] }>('/scenarios', { lang }).then((l) => left || setScenarios(l.items), (e) => left || setProblem(e));
    return () => { left = true; };
  }, [lang]);

  const alone = pageAt(address.parts, api);
  const link = requestLink(address);
  const view = requestViews.find((v) => v.name === link.view) ?? requestViews[0];
  useEffect(() => { if (api.live && address.parts[0] === 'live') connect(lang); }, [address, lang]); // a page with a live recording listens to the live events
  const last = useRef(requestLink(parse('')));
  if (!alone) last.current = link;
  useEffect(() => {
    document.title = alone ? `${alone.words(words)} · apitrace` : recording ? `${recording.scenario}, ${recording.k8sVersion} · apitrace` : 'apitrace';
  }, [recording, alone, words]);
  // This runs before the next paint. A later effect could remove the
  // first message of the new view.
  useLayoutEffect(() => { setProblem(null); setNotice(''); }, [alone, lang]);

  const at = address.parts.join('/');
  const toLost = useCallback((p: Problem) => { setProblem(p); setLost({ at, status: p.status }); }, [at]);
  useLayoutEffect(() => setLost(null), [at, lang]);

  useFocusKept(address);
  useTopOfPage(alone ? [alone.name, ...address.parts.slice(1)].join('/') : at, back.current);

  const page = { api, lang, words, address, goTo, problem: setProblem, notice: setNotice, lost: toLost, releases, scenarios, last: last.current };
  return (
    <PageContext.Provider value={page}>
      <Header theme={theme} onTheme={setTheme} onLang={() => setLang(lang === 'en' ? 'zh' : 'en')} />
      {!alone && <RequestBar link={link} recording={recording} view={view} />}
      {problem && <div class="problem" role="alert"><b>{problem.message}</b> {problem.action.startsWith('GET ') ? '' : problem.action /* a route of the API is for programs */}</div>}
      {!problem && notice && <div class="problem notice" role="status">{notice}</div>}
      {lost?.at === at ? <Nowhere status={lost.status} again={() => { setProblem(null); setLost(null); }} />
        : alone ? <main class="page"><alone.show /></main>
        : <RequestPage link={link} entry={view} onRecording={setRecording} />}
      <KeyHelp />
    </PageContext.Provider>
  );
}

// start finds the page's data and begins the page. The data are in the page's file,
// in its site, or on a server.
async function start() {
  let api: Api;
  const file = await fileData();
  const load = file ? async (key: string) => file[key] ?? null : document.documentElement.dataset.site !== undefined ? siteData : null;
  if (load) {
    const library = await load('library') as LibraryPiece;
    startAt(library.first);
    api = still(load, library);
    if (api.start && location.hash.length < 3) history.replaceState(null, '', api.start);
  } else api = server();
  document.documentElement.dataset.live = String(api.live);
  const get = <T,>(path: string, query?: Record<string, string | number>) => during(api.get<T>(path, query));
  render(<Page api={{ ...api, get }} />, document.body);
}

// If the data cannot be loaded, the page shows only the reason.
during(start()).catch((e) => {
  const words = allWords[firstLang()];
  render(<main class="page"><div class="problem" role="alert"><b>{words.notLoaded + words.fullStop}</b>{location.protocol === 'file:' && document.documentElement.dataset.site !== undefined ? words.fromDisk : String(e.message ?? e)}</div></main>, document.body);
});
