import { Fragment, h } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { brief, hasStory, Recording } from './api.ts';
import { usePage } from './context.ts';
import { Address, firstView, recordingAddress, requestAddress, RequestLink, storyView, write } from './link.ts';
import { typing } from './keys.ts';
import { showHelp } from './help.tsx';
import { ScenarioOptions } from './scenario-options.tsx';
import { SearchBox } from './search-box.tsx';
import { offered, pageAt, pages, requestViews, ViewEntry } from './views.ts';

export type Theme = 'system' | 'light' | 'dark';

// Header is the bar at the top, with the pages, the search, the colours and the
// language. On a narrow screen, a button opens them.
export function Header({ theme, onTheme, onLang }: { theme: Theme; onTheme: (t: Theme) => void; onLang: () => void }) {
  const { api, lang, words, address, last } = usePage();
  const [open, setOpen] = useState(false);
  const page = pageAt(address.parts, api);
  useEffect(() => setOpen(false), [address]);
  useEffect(() => {
    const keys = (e: KeyboardEvent) => { if (e.key === 'Escape') setOpen(false); };
    addEventListener('keydown', keys);
    return () => removeEventListener('keydown', keys);
  }, []);
  return (
    <header class="top">
      <button class="skip" onClick={() => document.querySelector<HTMLElement>('main [tabindex="0"]')?.focus()}>{words.skip}</button>
      <a class="brand" href="#/" aria-current={page?.name === 'start' ? 'page' : undefined}>apitrace</a>
      <SearchBox />
      <button class="menu" aria-expanded={open} aria-controls="menu" onClick={() => setOpen(!open)}>{words.menu}</button>
      <div class={'menued' + (open ? ' open' : '')} id="menu">
        <nav aria-label={words.pages}>
          <Entry address={requestAddress(last)} words={words.traces} current={!page} />
          {offered(pages, api).map((p) => <Entry address={{ parts: [p.name], query: {} }} words={p.words(words)} current={p === page} />)}
        </nav>
        <span class="gap" />
        <select aria-label={words.colours} class="theme" value={theme} onChange={(e) => onTheme(e.currentTarget.value as Theme)}>
          {(['system', 'light', 'dark'] as Theme[]).map((t) => <option value={t} selected={t === theme}>{words[t]}</option>)}
        </select>
        <button class="help" title={words.keys.help} aria-label={words.keys.title} onClick={showHelp}>?</button>
        <button class="language" lang={lang === 'en' ? 'zh' : 'en'} title={words.language} onClick={onLang}>{words.languageShort}</button>
      </div>
    </header>
  );
}

function Entry({ address, words, current }: { address: Address; words: string; current: boolean }) {
  return <a href={write(address)} aria-current={current ? 'page' : undefined}>{words}</a>;
}

// RequestBar selects the request and its view.
export function RequestBar({ link, recording, view }: { link: RequestLink; recording: Recording | null; view: ViewEntry }) {
  const { api, words, scenarios, goTo } = usePage();
  const place = link.place;
  const views = offered(requestViews, api).filter((v) => !v.caused || hasStory(recording));
  const byNumber = useRef<(n: number) => void>(() => {});
  byNumber.current = (n) => { if (views[n - 1]) goTo(requestAddress({ ...link, view: views[n - 1].name, line: undefined, more: {} })); };
  useEffect(() => {
    const keys = (e: KeyboardEvent) => {
      if (e.ctrlKey || e.metaKey || e.altKey || typing(e) || document.querySelector('dialog[open]')) return;
      if (/^[1-9]$/.test(e.key)) byNumber.current(Number(e.key));
      else if (e.key === 'c') document.querySelector<HTMLElement>('.request-bar .scenario')?.focus();
      else return;
      e.preventDefault();
    };
    addEventListener('keydown', keys);
    return () => removeEventListener('keydown', keys);
  }, []);
  const chosen = scenarios.find((s) => s.name === place.scenario);
  const release = place.release === 'live' ? place.release : recording?.k8sVersion || place.release;
  const change = (p: Partial<RequestLink['place']>, keep = false) =>
    goTo(requestAddress({ place: { ...place, release, ...p }, view: link.view, call: keep ? link.call : undefined, more: {} }));
  return (
    <div class="top request-bar">
      <select aria-label={words.scenario} class="scenario" value={place.scenario}
        onChange={(e) => {
          const s = scenarios.find((x) => x.name === e.currentTarget.value);
          const to = s && !s.releases.includes(release) ? s.releases[0] : release;
          if (s && (link.view === firstView || link.view === storyView)) goTo(recordingAddress(s, to));
          else change({ scenario: e.currentTarget.value, request: 1, release: to });
        }}>
        {!chosen && <option value={place.scenario}>{recording?.scenario === place.scenario ? recording.title : place.scenario}</option>}
        <ScenarioOptions of={scenarios} value={place.scenario} />
      </select>
      <select aria-label={words.release} class="release" value={release} onChange={(e) => change({ release: e.currentTarget.value }, true)}>
        {[...(chosen?.releases.includes(release) ? [] : [release]), ...(chosen?.releases ?? [])].map((r) => <option value={r} selected={r === release}>{r === 'live' ? words.live : r}</option>)}
      </select>
      {recording && recording.requests.length > 1 && (
        <select aria-label={words.request} class="requests" value={String(place.request)} onChange={(e) => change({ request: Number(e.currentTarget.value) })}>
          {recording.requests.map((r) => <option value={String(r.number)} title={`${r.method} ${r.path}`} selected={r.number === place.request}>{`${brief(r)}${r.status ? ` → ${r.status}` : ''}`}</option>)}
        </select>
      )}
      <span class="gap" />
      <button class="stepper" aria-pressed={!!link.position} onClick={() => goTo(requestAddress({ ...link, line: undefined, position: link.position ? undefined : { kind: 'entered' } }))}>
        {words.player.toggle}
      </button>
      <nav class="views" aria-label={words.view}>
        {views.map((v) => (
          <Fragment key={v.name}><Entry address={requestAddress({ ...link, view: v.name, line: undefined, more: {} })} words={v.words(words)} current={v === view} /></Fragment>
        ))}
      </nav>
    </div>
  );
}
