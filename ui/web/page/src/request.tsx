import { h } from 'preact';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { Details, hasStory, Position, Problem, Recording, recordingPath, requestPath, View } from './api.ts';
import { Code } from './code.tsx';
import { RequestContext, useAsking, useLatest, usePage } from './context.ts';
import { stepOfKey, typing } from './keys.ts';
import { requestAddress, RequestLink, write } from './link.ts';
import { Player } from './player.tsx';
import { firstCall, firstStep } from './rows.ts';
import { lineFrom, positionAt, positionOf, Step, stepFrom } from './stepping.ts';
import { Split } from './split.tsx';
import { StoryLine } from './story.tsx';
import { ViewEntry } from './views.ts';

// roomy reports whether there is room for code beside the view.
export const roomy = () => matchMedia('(min-width: 801px)').matches;

// RequestPage shows a view of a request and, beside it, the
// selected call with its source.
export function RequestPage({ link, entry: { show: Show, wide: always, beside }, onRecording, embedded }: {
  link: RequestLink; entry: ViewEntry; onRecording: (r: Recording) => void;
  // embedded is set if the view is part of another page.
  embedded?: boolean;
}) {
  const page = usePage();
  const { api, lang, words, problem, notice, lost, goTo } = page;
  const [recording, setRecording] = useState<Recording | null>(null);
  const [seen, setSeen] = useState<{ path: string; view: View } | null>(null);
  const [told, setTold] = useState<{ path: string; details: Details } | null>(null);
  const [picked, setPicked] = useState<{ path: string; call: number } | null>(null);
  const [stepped, setStepped] = useState<{ named: string; position: Position } | null>(null);
  const [heard, setHeard] = useState<{ of: string; lines: StoryLine[] } | null>(null);
  const here = useRef(link);
  here.current = link;
  const place = link.place;
  const wide = always && !(link.call && link.more.source === 'beside');
  const path = requestPath(place);
  // The parameter show of the steps is also a parameter of the request's view in the API.
  const upstream = link.more.show === 'upstream';
  // Ignore data that were loaded for another request.
  const selected = picked?.path === path ? picked.call : null;
  const view = seen?.path === path ? seen.view : null;
  const details = told?.path === path ? told.details : null;

  useAsking(() => {
    let left = false;
    problem(null);
    api.get<Recording>(recordingPath(place), { lang }).then((r) => { if (!left) { setRecording(r); onRecording(r); } }, (e) => left || lost(e));
    api.get<View>(path + '/view', upstream ? { lang, show: 'upstream' } : { lang }).then((v) => left || setSeen({ path, view: v }), (e) => left || lost(e));
    return () => { left = true; };
  }, [path, lang, upstream]);

  // The story that the player steps through, too.
  const ofStory = recordingPath(place), caused = hasStory(recording);
  const story = heard?.of === ofStory ? heard.lines : [];
  useAsking(() => {
    let left = false;
    if (!caused) return;
    api.get<{ lines: StoryLine[] }>(ofStory + '/story', { lang }).then((s) => left || setHeard({ of: ofStory, lines: s.lines }), (e) => left || problem(e));
    return () => { left = true; };
  }, [ofStory, caused, lang]);

  // The call that the link names.
  const name = link.call;
  useAsking(() => {
    let left = false;
    if (!name) { setPicked(link.position ? view && { path, call: firstStep(view) } : roomy() && !embedded && view ? { path, call: firstCall(view) } : null); notice(''); return; }
    api.get<{ index: number; exact: boolean }>(path + '/find', { function: name.function, caller: name.caller, nth: name.nth })
      .then((found) => {
        if (left) return;
        setPicked(found.index < 0 ? null : { path, call: found.index });
        notice(found.exact || !name.caller && found.index >= 0 ? '' : found.index < 0 ? words.notCalled(name.function) : words.notExact);
      }, (e: Problem) => left || problem(e));
    return () => { left = true; };
  }, [path, name?.function, name?.caller, name?.nth, !link.position, lang, !name && !!view]);
  useAsking(() => {
    let left = false;
    if (selected === null) return;
    api.get<Details>(`${path}/calls/${selected}`, { lang }).then((d) => left || setTold({ path, details: d }), (e) => left || problem(e));
    return () => { left = true; };
  }, [path, selected, lang]);

  // The position that the link names. It is known already if the
  // player has just reached it.
  const at = link.position;
  const named = at && selected !== null ? [path, selected, at.kind, at.next?.function, at.next?.nth].join(' ') : '';
  const position = named !== '' && stepped?.named === named ? stepped.position : null;
  useAsking(() => {
    if (!at || selected === null || position || details?.call.index !== selected) return;
    let left = false;
    (async () => {
      let next = -1;
      if (at.kind === 'calling' && at.next) {
        next = (await api.get<{ index: number }>(path + '/find', { function: at.next.function, caller: details.call.function, nth: at.next.nth })).index;
      }
      // Another recording may not make that call. Then the entry of the
      // caller is the nearest position.
      const entered = () => positionAt(api, path, { call: selected, kind: 'entered', next: 0 });
      const reached = at.kind === 'calling' && next < 0 ? await entered()
        : await positionAt(api, path, { call: selected, kind: at.kind, next }).catch((e: Problem) => { if (e.status === 400) return entered(); throw e; });
      if (!left) setStepped({ named, position: reached });
    })().catch((e) => left || problem(e));
    return () => { left = true; };
  }, [named, details]);

  // After several selections or steps, the last one counts, even if
  // its answer comes first.
  const begin = useLatest();
  // moveTo shows a position. A series of steps is one step in the browser's history.
  const moveTo = useCallback(async (reached: Position, wanted: () => boolean, replace = true) => {
    const to = requestPath(here.current.place);
    const d = await api.get<Details>(`${to}/calls/${reached.call}`, { lang });
    if (!wanted() || requestPath(here.current.place) !== to) return;
    setPicked({ path: to, call: reached.call });
    setTold({ path: to, details: d });
    setStepped({ named: [to, reached.call, reached.kind, reached.nextFunction, reached.nextFunction && reached.nextNth].join(' '), position: reached });
    goTo(requestAddress({
      ...here.current, call: { function: d.call.function, caller: d.stack[0]?.function ?? '', nth: d.nth }, line: undefined,
      position: { kind: reached.kind, next: reached.nextFunction ? { function: reached.nextFunction, nth: reached.nextNth ?? 1 } : undefined },
    }), replace);
  }, [lang, goTo]);
  // toLine steps from a call to the next line of the story. It shows the beginning of the call
  // that proves the line, in whatever request this is, and returns false if there is no line.
  const toLine = async (from: number, back: boolean, wanted: () => boolean, replace = true) => {
    const line = lineFrom(story, place.request, from, back);
    if (!line) return false;
    const to = { ...place, request: line.request };
    const d = await api.get<Details>(`${requestPath(to)}/calls/${line.call}`, { lang });
    if (wanted()) {
      goTo(requestAddress({
        ...here.current, place: to, call: { function: d.call.function, caller: d.stack[0]?.function ?? '', nth: d.nth }, line: undefined, position: { kind: 'entered' },
      }), replace);
    }
    return true;
  };
  const step = useCallback(async (s: Step) => {
    if (!position || !view) return true;
    const wanted = begin();
    try {
      if (s.name === 'story') return await toLine(position.call, s.back, wanted);
      const reached = await stepFrom(api, path, view, position, s);
      if (wanted() && (reached.moved || reached.number !== position.number)) await moveTo(reached, wanted);
      return reached.moved;
    } catch (e) {
      if (wanted()) problem(e as Problem);
      return false;
    }
  }, [path, view, position, story, moveTo]);

  const seek = useCallback((number: number) => {
    const wanted = begin();
    positionOf(api, path, number).then((reached) => (wanted() ? moveTo(reached, wanted) : undefined)).catch((e) => { if (wanted()) problem(e); });
  }, [path, moveTo]);

  // The key of a step opens the player and steps from the selected call. Until the player
  // is open, named keys such as F11 belong to the browser.
  const walk = async (s: Step) => {
    if (!view) return;
    const wanted = begin();
    try {
      if (s.name === 'story') { await toLine(selected ?? 0, s.back, wanted, false); return; }
      const reached = await stepFrom(api, path, view, await positionAt(api, path, { call: selected ?? 0, kind: 'entered', next: 0 }), s);
      if (wanted()) await moveTo(reached, wanted, false);
    } catch (e) {
      if (wanted()) problem(e as Problem);
    }
  };
  const latest = useRef(walk);
  latest.current = walk;
  useEffect(() => {
    if (at || embedded) return;
    const keys = (e: KeyboardEvent) => {
      if (e.ctrlKey || e.metaKey || e.altKey || e.key.length > 1 || typing(e) || document.querySelector('dialog[open]')) return;
      const s = stepOfKey(e.key);
      if (!s) return;
      e.preventDefault();
      void latest.current(s);
    };
    addEventListener('keydown', keys);
    return () => removeEventListener('keydown', keys);
  }, [!at, embedded]);

  const select = useCallback((call: number, line?: number, follow = false) => {
    const at = requestPath(here.current.place), wanted = begin();
    api.get<Details>(`${at}/calls/${call}`, { lang }).then((d) => {
      if (!wanted() || requestPath(here.current.place) !== at) return;
      setPicked({ path: at, call });
      setTold({ path: at, details: d });
      goTo(requestAddress({ ...here.current, call: { function: d.call.function, caller: d.stack[0]?.function ?? '', nth: d.nth }, line, position: here.current.position && { kind: 'entered' } }), follow && !!here.current.call);
    }, (e: Problem) => { if (wanted()) problem(e); });
  }, [lang, goTo]);
  const change = useCallback((more: Record<string, string | undefined>) => {
    const now = { ...here.current.more, ...more };
    const kept = Object.fromEntries(Object.entries(now).filter((e): e is [string, string] => e[1] !== undefined));
    goTo(requestAddress({ ...here.current, more: kept }), true);
  }, [goTo]);

  const ready = details && details.call.index === selected;
  const closePlayer = useCallback(() => goTo(requestAddress({ ...here.current, position: undefined }), true), [goTo]);
  const Beside = link.call || at ? undefined : beside;
  const Around = embedded ? 'div' : 'main';
  const request = {
    link, place, path, recording, view, selected, details, select, change, position, scenario: page.scenarios.find((s) => s.name === place.scenario),
  };
  return (
    <RequestContext.Provider value={request}>
      {at && <Player story={story} step={step} onSeek={seek} onClose={closePlayer} />}
      <Around class={embedded ? 'embedded' : wide ? 'wide' : link.call || at ? '' : beside ? 'both' : 'alone'}>
        <section class="left" aria-label={words.tree}><Show /></section>
        {!wide && !embedded && <Split />}
        {!wide && <section class="right" aria-label={words.source}>
          {Beside ? <Beside /> : ready ? <Code place={place} details={details} line={position?.line || link.line || view?.errorPath?.find((s) => s.call === selected)?.line} onSelect={select} onBack={() => history.back()} address={write(requestAddress(link))} />
            : selected === null ? <p class="quiet pick">{words.pick}</p> : <p class="quiet loading">{words.loading}</p>}
        </section>}
      </Around>
    </RequestContext.Provider>
  );
}
