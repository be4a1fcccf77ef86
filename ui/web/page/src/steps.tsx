import { h } from 'preact';
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { CallList, requestPath } from './api.ts';
import { usePage, useRequest } from './context.ts';
import { Opened, Row, rowsOf, shownAt } from './rows.ts';
import { Heading, Tree } from './tree.tsx';

// Steps shows the default view of a request as a tree. Folded calls can be opened. The
// parameter show=upstream adds upstream's own spans and events, in the tree and in the
// source.
export function Steps() {
  const { api, words, problem } = usePage();
  const { path, place, view, selected, details, select, scenario, link, change } = useRequest();
  const [opened, setOpened] = useState<Opened>(new Map());
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const [focus, setFocus] = useState('s1');
  const focused = useRef<number | null>(null); // the selected call that has had the focus
  const here = useRef(place);
  here.current = place;
  useEffect(() => { setOpened(new Map()); setClosed(new Set()); setFocus('s1'); focused.current = null; }, [path]);

  // open loads the calls that a call made. It does nothing if the page shows another
  // request by then.
  const open = useCallback(async (call: number, from = 0) => {
    const stays = () => requestPath(here.current) === path;
    if (!stays()) return;
    const list = await api.get<CallList>(`${path}/calls/${call}/children`, { from, limit: 200 });
    if (!stays()) return;
    setOpened((known) => {
      const before = from ? known.get(call)?.items ?? [] : [];
      return before.length === from ? new Map(known).set(call, { items: [...before, ...list.items], total: list.total }) : known; // asked for twice
    });
  }, [path]);

  const rows = useMemo(() => (view ? rowsOf(view, opened, closed) : []), [view, opened, closed]);

  // If the selected call is folded, show it: open the calls between it and the nearest
  // step.
  useEffect(() => {
    if (!view || !details || details.call.index !== selected) return;
    if (shownAt(rows, selected) >= 0) return;
    const way = [selected, ...details.stack.map((f) => f.index)];
    const between = way.slice(1, way.indexOf(details.step) + 1).reverse();
    setClosed((known) => new Set([...known].filter((k) => !k.startsWith('s') && !way.includes(Number(k.slice(1))))));
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
  }, [opened, open]);

  if (!view) return <p class="quiet loading">{words.loading}</p>;
  return (
    <div class="scroll">
      <Heading view={view} />
      {scenario?.description && <p class="description">{scenario.description}</p>}
      <label class="choice">
        <input type="checkbox" checked={link.more.show === 'upstream'} onChange={(e) => change({ show: e.currentTarget.checked ? 'upstream' : undefined })} />
        {words.showUpstream}
      </label>
      <Tree rows={rows} selected={selected} focus={focus} words={words} onFocus={setFocus} onSelect={select} onToggle={toggle}
        onFold={fold} onMore={(of) => open(of, opened.get(of)?.items.length ?? 0).catch(problem)} opened={(call) => opened.has(call)} />
    </div>
  );
}
