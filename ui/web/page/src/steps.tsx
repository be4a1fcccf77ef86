import { h } from 'preact';
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { brief, CallList, hasStory, requestPath, View } from './api.ts';
import { usePage, useRequest } from './context.ts';
import { GatesOfRequest } from './gate.tsx';
import { requestAddress, write } from './link.ts';
import { Opened, Row, rowsOf, sectionOf, shownAt } from './rows.ts';
import { Heading, Tree } from './tree.tsx';

// Steps shows the default view of a request as a tree. It begins as an outline, with all
// sections closed. A link to a call opens the call's section. Folded calls can be opened.
// The parameter open=all opens all sections. The parameter show=upstream adds upstream's
// own spans and events, in the tree and in the source.
export function Steps() {
  const { api, words, problem } = usePage();
  const { path, place, view, selected, details, select, scenario, link, change } = useRequest();
  const [opened, setOpened] = useState<Opened>(new Map());
  const [shut, setShut] = useState<ReadonlySet<string> | null>(null);
  const all = link.more.open === 'all';
  const [focus, setFocus] = useState('s1');
  const focused = useRef<number | null>(null); // the selected call whose row has had the focus
  const here = useRef(place);
  here.current = place;
  useEffect(() => { setOpened(new Map()); setShut(null); setFocus('s1'); focused.current = null; }, [path, all]);

  // closed has the keys of the closed rows. A view in another language has the same keys.
  const closed = useMemo<ReadonlySet<string>>(() => shut ?? new Set(all ? [] : view?.sections.map((s) => `s${s.number}`)), [shut, view, all]);
  const setClosed = (next: (known: ReadonlySet<string>) => ReadonlySet<string>) => setShut((known) => next(known ?? closed));

  // open loads the calls that a call made. If the page shows another
  // request by then, it does nothing.
  const open = useCallback(async (call: number, from = 0) => {
    const stays = () => requestPath(here.current) === path;
    if (!stays()) return;
    const list = await api.get<CallList>(`${path}/calls/${call}/children`, { from, limit: 200 });
    if (!stays()) return;
    setOpened((known) => {
      const before = from ? known.get(call)?.items ?? [] : [];
      return before.length === from ? new Map(known).set(call, { items: [...before, ...list.items], total: list.total }) : known; // the same part was requested twice
    });
  }, [path]);

  const rows = useMemo(() => (view ? rowsOf(view, opened, closed) : []), [view, opened, closed]);

  // This shows a call that the address names. It opens the call's section, and
  // the calls between the call and the nearest step. Any other selected call
  // is shown only in the source.
  useEffect(() => {
    if (!view || !details || details.call.index !== selected) return;
    if (!link.call || shownAt(rows, selected) >= 0) return;
    const section = sectionOf(view, details.step);
    const way = [selected, ...details.stack.map((f) => f.index)];
    const between = way.slice(1, way.indexOf(details.step) + 1).reverse();
    setClosed((known) => new Set([...known].filter((k) => k !== section && !(k.startsWith('c') && way.includes(Number(k.slice(1)))))));
    (async () => { for (const call of between) if (!opened.has(call)) await open(call); })().catch(problem);
  }, [view, details, selected]);
  // The selected row gets the focus once, when it becomes visible. Then the reader
  // controls the focus.
  useEffect(() => {
    if (selected === null) return;
    const at = shownAt(rows, selected);
    if (at < 0) return;
    const first = focused.current !== selected;
    focused.current = selected;
    setFocus((known) => (!first && rows.some((r) => r.key === known) ? known : rows[at].key));
  }, [rows, selected]);

  const toggle = useCallback((row: Row) => {
    if (row.kind === 'call' && !opened.has(row.call) && row.open === false && !closed.has(row.key)) { open(row.call).catch(problem); return; }
    setClosed((known) => {
      const next = new Set(known);
      if (!next.delete(row.key)) next.add(row.key);
      return next;
    });
  }, [opened, closed, open]);
  const fold = useCallback((call: number) => {
    if (!opened.has(call)) { open(call).catch(problem); setClosed((known) => new Set([...known].filter((k) => k !== 'c' + call))); return; }
    setOpened((known) => { const next = new Map(known); next.delete(call); return next; });
  }, [opened, closed, open]);

  if (!view) return <p class="quiet loading">{words.loading}</p>;
  const outlined = view.sections.some((s) => closed.has(`s${s.number}`));
  return (
    <div class="scroll">
      <Heading view={view} onSelect={select} />
      <Requests />
      {scenario?.description && <p class="description">{scenario.description}</p>}
      <div class="choices">
        <button class="quiet" onClick={() => { setShut(null); change({ open: outlined ? 'all' : undefined }); }}>
          {outlined ? words.openAll : words.outline}
        </button>
        <label class="choice">
          <input type="checkbox" checked={link.more.show === 'upstream'} onChange={(e) => change({ show: e.currentTarget.checked ? 'upstream' : undefined })} />
          {words.showUpstream}
        </label>
      </div>
      {view.sections.length > 1 && view.sections[0].root.time && <p class="times-help">{words.timesHelp}</p>}
      <Tree rows={rows} total={longest(view)} onPath={view.errorPath?.map((s) => s.call) ?? []} selected={selected} focus={focus} words={words} onFocus={setFocus} onSelect={select} onFollow={(call) => { focused.current = call; select(call, undefined, true); }} onToggle={toggle}
        onFold={fold} onMore={(of) => open(of, opened.get(of)?.items.length ?? 0).catch(problem)} opened={(call) => opened.has(call)} />
      <GatesOfRequest />
    </div>
  );
}

// Requests lists the requests of a recording that has several, and no story that lists them.
function Requests() {
  const { words } = usePage();
  const { recording, place, link } = useRequest();
  if (!recording || recording.requests.length < 2 || hasStory(recording)) return null;
  return (
    <nav class="requests-of" aria-label={words.request}>
      {recording.requests.map((r) => (
        <a href={write(requestAddress({ place: { ...place, request: r.number }, view: link.view, more: {} }))} title={`${r.method} ${r.path}`} aria-current={r.number === place.request ? 'page' : undefined}>
          {brief(r)}{r.status > 0 && <span class={r.status >= 400 ? 'failure' : ''}> → {r.status}</span>}
        </a>
      ))}
    </nav>
  );
}

// longest returns the time of the longest section, for the bars of the outline.
const longest = (view: View) => Math.max(1, ...view.sections.map((s) => s.root.durationNs));
