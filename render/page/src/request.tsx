import { ComponentType, h } from 'preact';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { Details, Problem, Recording, recordingPath, requestPath, View } from './api.ts';
import { Code } from './code.tsx';
import { RequestContext, usePage } from './context.ts';
import { requestAddress, RequestLink, write } from './link.ts';

// roomy tells whether there is room for code beside the view.
const roomy = () => matchMedia('(min-width: 801px)').matches;

// RequestPage shows a view of a request, and beside it the call that is selected with its source.
export function RequestPage({ link, show: Show, wide, onRecording }: {
  link: RequestLink; show: ComponentType; wide: boolean; onRecording: (r: Recording) => void;
}) {
  const page = usePage();
  const { api, lang, words, problem, notice, goTo } = page;
  const [recording, setRecording] = useState<Recording | null>(null);
  const [seen, setSeen] = useState<{ path: string; view: View } | null>(null);
  const [told, setTold] = useState<{ path: string; details: Details } | null>(null);
  const [picked, setPicked] = useState<{ path: string; call: number } | null>(null);
  const here = useRef(link);
  here.current = link;
  const place = link.place;
  const path = requestPath(place);
  // What was loaded of another request says nothing here.
  const selected = picked?.path === path ? picked.call : null;
  const view = seen?.path === path ? seen.view : null;
  const details = told?.path === path ? told.details : null;

  useEffect(() => {
    let left = false;
    problem(null);
    api.get<Recording>(recordingPath(place), { lang }).then((r) => { if (!left) { setRecording(r); onRecording(r); } }, (e) => left || problem(e));
    api.get<View>(path + '/view', { lang }).then((v) => left || setSeen({ path, view: v }), (e) => left || problem(e));
    return () => { left = true; };
  }, [path, lang]);

  // The call that the link names.
  const name = link.call;
  useEffect(() => {
    let left = false;
    if (!name) { setPicked(roomy() ? { path, call: 0 } : null); notice(''); return; }
    api.get<{ index: number; exact: boolean }>(path + '/find', { function: name.function, caller: name.caller, nth: name.nth })
      .then((found) => {
        if (left) return;
        setPicked(found.index < 0 ? null : { path, call: found.index });
        notice(found.exact || !name.caller && found.index >= 0 ? '' : found.index < 0 ? words.notCalled(name.function) : words.notExact);
      }, (e: Problem) => left || problem(e));
    return () => { left = true; };
  }, [path, name?.function, name?.caller, name?.nth, lang]);
  useEffect(() => {
    let left = false;
    if (selected === null) return;
    api.get<Details>(`${path}/calls/${selected}`, { lang }).then((d) => left || setTold({ path, details: d }), (e) => left || problem(e));
    return () => { left = true; };
  }, [path, selected, lang]);

  const select = useCallback((call: number, line?: number) => {
    const at = requestPath(here.current.place);
    api.get<Details>(`${at}/calls/${call}`, { lang }).then((d) => {
      if (requestPath(here.current.place) !== at) return;
      setPicked({ path: at, call });
      setTold({ path: at, details: d });
      goTo(requestAddress({ ...here.current, call: { function: d.call.function, caller: d.stack[0]?.function ?? '', nth: d.nth }, line }));
    }, problem);
  }, [lang, goTo]);
  const change = useCallback((more: Record<string, string | undefined>) => {
    const now = { ...here.current.more, ...more };
    const kept = Object.fromEntries(Object.entries(now).filter((e): e is [string, string] => e[1] !== undefined));
    goTo(requestAddress({ ...here.current, more: kept }), true);
  }, [goTo]);

  const ready = details && details.call.index === selected;
  const request = { link, place, path, recording, view, selected, details, select, change, scenario: page.scenarios.find((s) => s.name === place.scenario) };
  return (
    <RequestContext.Provider value={request}>
      <main class={wide ? 'wide' : link.call ? '' : 'alone'}>
        <section class="left" aria-label={words.tree}><Show /></section>
        {!wide && <section class="right" aria-label={words.source}>
          {ready ? <Code place={place} details={details} line={link.line} onSelect={select} onBack={() => history.back()} address={write(requestAddress(link))} />
            : selected === null ? <p class="quiet pick">{words.pick}</p> : <p class="quiet loading">{words.loading}</p>}
        </section>}
      </main>
    </RequestContext.Provider>
  );
}
