import { CSSProperties, Fragment, h, JSX } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Call, CallList, LayerList, View } from './api.ts';
import { useAsking, usePage, useRequest } from './context.ts';
import { useFollow } from './follow.ts';
import { startTimer, stopTimer } from './idle.ts';
import { RequestLine } from './tree.tsx';
import { thousands } from './words.ts';

const rowHeight = 24, part = 200, beyond = 10;

// mostDepth is the number of levels that rows are indented by at most.
const mostDepth = 40;

// The parameters of the filter, in the address and in the questions
// to the engine (answers.ts).
const filters = ['text', 'layer', 'process', 'least', 'failed'];

// Calls shows all calls of a request or, with a filter, the
// matching calls below their callers.
export function Calls() {
  const { api, words, problem } = usePage();
  const { view, path, selected, select, link } = useRequest();
  const [list, setList] = useState<{ key: string; list: CallList } | null>(null);
  const filter = Object.fromEntries(filters.filter((f) => link.more[f]).map((f) => [f, link.more[f]]));
  const filtered = Object.keys(filter).length > 0, key = JSON.stringify([path, filter]);
  useAsking(() => {
    if (!filtered) return;
    let left = false;
    api.get<CallList>(path + '/calls', { ...filter, from: 0, limit: 0 }).then((l) => left || setList({ key, list: l }), (e) => left || problem(e));
    return () => { left = true; };
  }, [key]);
  if (!view) return <p class="quiet loading">{words.loading}</p>;
  const found = list?.key === key ? list.list : null;
  return (
    <Fragment>
      <div class="request"><RequestLine of={view.request} /><p class="facts">{view.facts}</p></div>
      <FilterBar view={view} found={filtered ? found : null} />
      {filtered && !found ? <p class="quiet loading">{words.loading}</p>
        : <All key={key} path={path} filter={filter} total={found ? found.total : view.calls} shown={found?.shown} matching={found?.matching} selected={selected} chosen={!!link.call} onSelect={select} />}
    </Fragment>
  );
}

// durations are the least durations that the filter offers, in nanoseconds.
const durations: [string, string][] = [['10000', '10µs'], ['100000', '100µs'], ['1000000', '1ms'], ['10000000', '10ms'], ['100000000', '100ms'], ['1000000000', '1s']];

// FilterBar has the fields of the filter, with each layer of the calls. found has the calls that
// the filter selects.
function FilterBar({ view, found }: { view: View; found: CallList | null }) {
  const { api, lang, problem, words: { filter: w } } = usePage();
  const { link, change, path } = useRequest();
  const timer = useRef(0);
  useEffect(() => () => stopTimer(timer.current), []);
  const [layers, setLayers] = useState<[string, string][]>([]);
  useAsking(() => {
    let left = false;
    api.get<LayerList>(path + '/layers', { lang }).then((l) => left || setLayers([...new Map(l.items.map((of) => [of.layer, of.title]))]), (e) => left || problem(e));
    return () => { left = true; };
  }, [path, lang]);
  const set = (name: string, value: string) => change({ [name]: value || undefined });
  const typed = (value: string) => { stopTimer(timer.current); timer.current = startTimer(() => set('text', value.trim()), 150); };
  return (
    <form class="filter" role="search" aria-label={w.name} onSubmit={(e) => e.preventDefault()}>
      <input type="search" placeholder={w.text} aria-label={w.text} value={link.more.text ?? ''} spellcheck={false} autocomplete="off" onInput={(e) => typed(e.currentTarget.value)} />
      <select aria-label={w.layer} value={link.more.layer ?? ''} onChange={(e) => set('layer', e.currentTarget.value)}>
        <option value="">{w.anyLayer}</option>
        {layers.map(([layer, title]) => <option value={layer} selected={layer === link.more.layer}>{title}</option>)}
      </select>
      <select aria-label={w.least} value={link.more.least ?? ''} onChange={(e) => set('least', e.currentTarget.value)}>
        <option value="">{w.anyTime}</option>
        {durations.map(([ns, text]) => <option value={ns} selected={ns === link.more.least}>≥ {text}</option>)}
      </select>
      <label><input type="checkbox" checked={!!link.more.failed} onChange={(e) => set('failed', e.currentTarget.checked ? 'true' : '')} />{w.failed}</label>
      <label><input type="checkbox" checked={link.more.process === 'etcd'} onChange={(e) => set('process', e.currentTarget.checked ? 'etcd' : '')} />{w.etcd}</label>
      {found && <span class="quiet" role="status">{w.found(thousands(found.matching!.size), thousands(view.calls))}</span>}
    </form>
  );
}

// search returns the index of a number in an ascending list, or -1.
function search(list: number[], wanted: number): number {
  let from = 0, to = list.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if (list[middle] < wanted) from = middle + 1; else to = middle;
  }
  return list[from] === wanted ? from : -1;
}

// All draws the calls of a list in order of entry. The list may be long, so All renders
// only the visible rows, and loads only their calls. shown has the calls of the list;
// without it, the list has all calls. matching has the calls that the filter selects. chosen is
// set if the reader chose the selected call.
function All({ path, filter, total, shown: calls, matching, selected: call, chosen, onSelect }: {
  path: string; filter: Record<string, string>; total: number; shown?: number[]; matching?: ReadonlySet<number>; selected: number | null; chosen: boolean; onSelect: (call: number, line?: number, follow?: boolean) => void;
}) {
  const callAt = (row: number) => (calls ? calls[row] : row);
  const rowOf = (call: number) => (calls ? search(calls, call) : call);
  const row = call === null ? -1 : rowOf(call), selected = row < 0 ? null : row;
  const { api, words } = usePage();
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(800);
  const [focus, setFocus] = useState(selected ?? 0);
  const [parts, setParts] = useState(new Map<number, Call[]>());
  const wanted = useRef(false);
  const followed = useRef<number | null>(null); // the call that was selected because its row had the focus
  const follow = useFollow();
  const before = useRef(0); // the first visible row of the previous rendering

  useEffect(() => setParts(new Map()), [path]);
  useEffect(() => {
    if (selected === null) return;
    if (followed.current === call) return; // the focus may have moved on
    followed.current = null;
    setFocus(selected);
    if (chosen || !matching) reveal(selected, 'center');
  }, [selected, path]);
  useEffect(() => { // a list with a filter begins where a call matches
    if (matching && calls && (call === null || !matching.has(call))) reveal(calls.findIndex((c) => matching.has(c)), 'center');
  }, []);
  useLayoutEffect(() => {
    const resized = new ResizeObserver(() => setHeight(box.current?.clientHeight ?? 800));
    resized.observe(box.current!);
    return () => resized.disconnect();
  }, []);
  useLayoutEffect(() => {
    if (!wanted.current) return;
    const row = box.current?.querySelector<HTMLElement>('[tabindex="0"]');
    if (row) { wanted.current = false; row.focus({ preventScroll: true }); }
  });

  const from = Math.max(0, Math.floor(top / rowHeight) - beyond);
  const to = Math.min(total, Math.ceil((top + height) / rowHeight) + beyond);
  useEffect(() => {
    // A reader who drags the scroll bar can pass thousands of calls in a frame. Only the
    // calls where the scroll bar stops are loaded.
    const far = Math.abs(from - before.current) > 2 * (to - from);
    before.current = from;
    let left = false;
    const load = () => {
      for (let n = Math.floor(from / part); n <= Math.floor(Math.max(from, to - 1) / part); n++) {
        if (parts.has(n)) continue;
        api.get<CallList>(path + '/calls', { ...filter, from: n * part, limit: part })
          .then((list) => { if (!left) setParts((known) => new Map(known).set(n, list.items)); }, () => {});
      }
    };
    const timer = startTimer(load, far ? 60 : 0);
    return () => { left = true; stopTimer(timer); };
  }, [from, to, path, parts]);

  function reveal(call: number, block: 'center' | 'nearest') {
    const b = box.current;
    if (!b) return;
    const y = call * rowHeight;
    if (y >= b.scrollTop && y + rowHeight <= b.scrollTop + b.clientHeight) return;
    b.scrollTop = block === 'center' ? y - b.clientHeight / 2 : y < b.scrollTop ? y : y + rowHeight - b.clientHeight;
  }
  const go = (call: number) => {
    const next = Math.min(total - 1, Math.max(0, call));
    wanted.current = true;
    setFocus(next);
    reveal(next, 'nearest');
    follow(() => { followed.current = callAt(next); onSelect(callAt(next), undefined, true); });
  };
  const at = (call: number) => parts.get(Math.floor(call / part))?.[call % part];
  const keys = (e: KeyboardEvent) => {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const page = Math.max(1, Math.floor(height / rowHeight) - 1);
    const moves: Record<string, () => void> = {
      ArrowDown: () => go(focus + 1), ArrowUp: () => go(focus - 1), Home: () => go(0), End: () => go(total - 1),
      PageDown: () => go(focus + page), PageUp: () => go(focus - page), Enter: () => onSelect(callAt(focus)), ' ': () => onSelect(callAt(focus)),
      ArrowRight: () => { const c = at(focus); if (c && c.below > 0) go(focus + 1); },
      ArrowLeft: () => { const c = at(focus); if (c && c.caller >= 0) go(rowOf(c.caller)); },
    };
    if (!moves[e.key]) return;
    e.preventDefault();
    moves[e.key]();
  };

  // With a filter, calls are indented from the caller of the outermost matching call that is
  // loaded: the callers above it stand at the edge.
  const edge = useMemo(() => {
    let depth = Infinity;
    if (matching) for (const part of parts.values()) for (const c of part) if (matching.has(c.index)) depth = Math.min(depth, c.depth);
    return depth < Infinity ? depth - 1 : 0;
  }, [parts, matching]);
  // Deep calls, as all those in etcd, are indented at least from the level that leaves the deepest
  // visible row within the most levels. So a row still stands to the right of its caller.
  let deepest = 0;
  for (let i = from; i < Math.min(to, total); i++) deepest = Math.max(deepest, at(i)?.depth ?? 0);
  const outermost = Math.max(0, edge, deepest - mostDepth);
  const rows: JSX.Element[] = [];
  const shown = new Set<number>([focus]);
  for (let i = from; i < to; i++) shown.add(i);
  for (const i of [...shown].sort((a, b) => a - b)) {
    if (i >= total) continue;
    const c = at(i);
    rows.push(
      <div key={i} role="treeitem" class={'row flat' + (matching && c && !matching.has(c.index) ? ' context' : '')} aria-level={(c?.depth ?? 0) + 1} aria-selected={i === selected} aria-posinset={i + 1} aria-setsize={total}
        tabIndex={i === focus ? 0 : -1} style={{ top: i * rowHeight + 'px', '--layer': c?.colour || undefined } as CSSProperties}
        onClick={() => { follow(); setFocus(i); onSelect(callAt(i)); }}>
        <span class="time">{c?.time ?? ''}</span>
        <span class="depth" aria-hidden="true" style={{ '--depth': Math.max(0, (c?.depth ?? 0) - outermost) } as CSSProperties} />
        {c ? <span class={'name' + (c.key ? ' key' : '')} title={c.name}>{c.name}</span> : <span class="name">…</span>}
        {c?.newGoroutine && <span class="mark" title={words.goroutine}>go</span>}
        {c?.afterwards && <span class="mark" title={words.event}>{words.eventMark}</span>}
        {c && <span class="place" title={c.place}><bdi>{c.place}</bdi></span>}
        {c && (c.error || c.panic) && <span class="handled" role="img" aria-label={c.panic ? words.panic : words.error}>✗</span>}
      </div>,
    );
  }
  return (
    <div class="all" role="tree" aria-label={`${words.tree}: ${thousands(total)}`} ref={box} tabIndex={-1} onKeyDown={keys}
      onScroll={(e) => setTop((e.currentTarget as HTMLElement).scrollTop)}>
      <div class="space" role="presentation" style={{ height: total * rowHeight + 'px' }}>{rows}</div>
      <p class="paper" aria-hidden="true">{words.onPaper(thousands(from + 1), thousands(to), thousands(total))}</p>
    </div>
  );
}
