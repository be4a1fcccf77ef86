import { Fragment, h } from 'preact';
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Call, CallList, Details, Problem } from './api.ts';
import { usePage, useRequest } from './context.ts';
import { Box, duration, exactTimes, Flame, Lane, Timeline } from './flame.ts';
import { startTimer, stopTimer } from './idle.ts';
import { typing } from './keys.ts';
import { requestAddress, write } from './link.ts';
import { RequestLine } from './tree.tsx';
import { thousands } from './words.ts';

// Time shows when the calls of a request ran, as boxes on lanes of goroutines. Its
// parameters from and to are the shown span, in nanoseconds.
export function Time() {
  const { api, words, lang, problem } = usePage();
  const { path, view, recording, place: { request }, selected, details, select, change, link, position } = useRequest();
  const w = words.time;
  const box = useRef<HTMLDivElement>(null), canvas = useRef<HTMLCanvasElement>(null), flame = useRef<Flame>(null!);
  const [height, setHeight] = useState(0);
  const [span, setSpan] = useState<[number, number]>([0, 0]);
  const [whole, setWhole] = useState<Timeline | null>(null);
  const strip = useRef<HTMLCanvasElement>(null);
  const fold = link.more.wrappers !== 'all';
  const [hidden, setHidden] = useState(0);
  const [ends, setEnds] = useState<{ firstNs: number; totalNs: number }>({ firstNs: 0, totalNs: 0 });
  const [hover, setHover] = useState<{ box: Box; lane: Lane; x: number; y: number } | null>(null);
  const [cursor, setCursor] = useState<Call | null>(null);
  const loaded = useRef<{ path: string; from: number; to: number; pixels: number } | null>(null);
  const wanted = useRef<number | null>(null); // the call to scroll to when it is loaded
  const timer = useRef(0);
  const ask = useRef(0);
  const scrollTo = useRef<number | null>(null);

  useLayoutEffect(() => {
    const f = flame.current = new Flame(canvas.current!, box.current!, wordsOf());
    const resized = new ResizeObserver(() => f.draw());
    resized.observe(box.current!);
    const recolour = () => { f.readColours(); f.draw(); };
    const themes = new MutationObserver(recolour);
    themes.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
    const dark = matchMedia('(prefers-color-scheme: dark)');
    dark.addEventListener('change', recolour);
    return () => { f.stop(); resized.disconnect(); themes.disconnect(); dark.removeEventListener('change', recolour); stopTimer(timer.current); };
  }, []);
  function wordsOf() { return { group: (process: string, after: boolean) => (after ? w.after(process) : process), firstEnds: w.firstEnds, waits: w.waits }; }

  // load requests the calls in and around the shown span, as far as the zoom needs them.
  const load = useCallback(async () => {
    const f = flame.current, mine = ++ask.current;
    const whole = loaded.current?.path !== path;
    const [from, to] = whole && !link.more.to ? [0, 0] : [f.from, f.to].map(Math.round);
    const around = whole && !link.more.to ? [0, 0] : [Math.max(0, from - (to - from)), to + (to - from)];
    const shares = whole && !link.more.to ? 1 : 3;
    try {
      const t = await api.get<Timeline>(path + '/timeline', {
        ...(fold ? { fold: 1 } : {}), startNs: around[0], endNs: around[1], pixels: Math.min(10000, Math.max(1, shares * f.width)),
      });
      if (mine !== ask.current || !box.current) return;
      loaded.current = { path, from: t.startNs, to: t.endNs, pixels: f.width };
      const top = f.setData(t);
      if (whole && !link.more.to) f.show(0, t.totalNs);
      setHeight(f.height);
      setHidden(t.hidden);
      setEnds(t);
      setSpan([f.from, f.to]);
      scrollTo.current = top;
      f.draw();
    } catch (e) {
      if (mine === ask.current && box.current) problem(e as Problem);
    }
  }, [path, lang, fold]);
  // settled loads the calls and writes the span to the address as soon
  // as the picture stands still.
  const settled = useCallback(() => {
    stopTimer(timer.current);
    const f = flame.current;
    setSpan([f.from, f.to]);
    timer.current = startTimer(() => {
      const all = f.from <= 0 && f.to >= f.total;
      change({ from: all ? undefined : String(Math.round(f.from)), to: all ? undefined : String(Math.round(f.to)) });
      void load();
    }, 120);
  }, [load, change]);

  useEffect(() => {
    const f = flame.current;
    f.speak(wordsOf());
    loaded.current = null;
    setCursor(null);
    const [from, to] = [Number(link.more.from), Number(link.more.to)];
    if (to > from) { f.total = Math.max(f.total, to); f.show(from, to); }
    void load();
    let left = false;
    api.get<Timeline>(path + '/timeline', { ...(fold ? { fold: 1 } : {}), startNs: 0, endNs: 0, pixels: 1000 }).then((t) => left || setWhole(t), () => {}); // load says why
    return () => { left = true; };
  }, [path, lang, fold]);
  useEffect(() => {
    if (!whole) return;
    const draw = () => { if (strip.current) flame.current.strip(strip.current, whole); };
    const resized = new ResizeObserver(draw);
    resized.observe(strip.current!);
    return () => resized.disconnect();
  }, [whole]);
  // toStrip moves the shown span to a point of the strip.
  const toStrip = (e: PointerEvent) => {
    const f = flame.current, r = strip.current!.getBoundingClientRect();
    const at = (e.clientX - r.left) / r.width * f.total;
    f.show(at - f.span / 2, at + f.span / 2);
    settled();
  };

  // Scroll after the new height is set.
  useLayoutEffect(() => {
    if (scrollTo.current !== null && box.current) { box.current.scrollTop = scrollTo.current; scrollTo.current = null; }
    if (wanted.current !== null) {
      const found = flame.current.find(wanted.current);
      if (found) { wanted.current = null; intoSight(found.y); }
    }
    flame.current.draw();
  });
  function intoSight(y: number) {
    const b = box.current!;
    if (y < b.scrollTop + 40 || y > b.scrollTop + b.clientHeight - 30) b.scrollTop = y - b.clientHeight / 3;
  }

  // reveal moves and zooms only as far as necessary to make a call visible.
  const reveal = useCallback((c: Call, close = false) => {
    const f = flame.current, took = Math.max(c.durationNs, 100), end = c.startNs + took;
    wanted.current = c.index;
    if (close) f.show(c.startNs - took * 0.1, end + took * 0.1);
    else if (took / f.span * f.width < 3) f.show(c.startNs - took * 20, end + took * 20);
    else if (end < f.from || c.startNs > f.to) f.show(c.startNs - f.span / 3, c.startNs + f.span * 2 / 3);
    else {
      const found = f.find(c.index);
      if (found) { wanted.current = null; intoSight(found.y); f.draw(); return; }
    }
    settled();
  }, [settled]);

  const ready = height > 0;
  useEffect(() => {
    flame.current.selected = selected;
    flame.current.draw();
  }, [selected]);
  useEffect(() => {
    if (!ready || !details || details.call.index !== selected) return;
    setCursor(details.call);
    if (link.call) reveal(details.call);
  }, [ready, details, selected]);
  useEffect(() => {
    flame.current.cursor = cursor?.index ?? null;
    flame.current.draw();
  }, [cursor]);

  // One pointer drags, two pointers zoom, a wheel zooms.
  const pointers = useRef(new Map<number, { x: number; y: number }>());
  const drag = useRef<{ x: number; y: number; moved: boolean; scale: boolean } | null>(null);
  const at = (e: { clientX: number; clientY: number }) => {
    const r = canvas.current!.getBoundingClientRect();
    return { x: e.clientX - r.left, y: e.clientY - r.top };
  };
  const down = (e: PointerEvent) => {
    if (e.button !== 0) return;
    const p = at(e);
    pointers.current.set(e.pointerId, p);
    drag.current = { ...p, moved: false, scale: flame.current.onScale(p.y) };
    canvas.current!.setPointerCapture(e.pointerId);
  };
  const move = (e: PointerEvent) => {
    const f = flame.current, p = at(e), last = pointers.current.get(e.pointerId);
    if (!last) {
      const hit = f.hit(p.x, p.y);
      if ((hit?.box.call ?? null) !== f.hovered) { f.hovered = hit?.box.call ?? null; f.draw(); }
      setHover(hit && { ...hit, ...p });
      return;
    }
    const d = drag.current!;
    if (!d.moved && Math.hypot(p.x - d.x, p.y - d.y) < 4) return;
    d.moved = true;
    setHover(null);
    if (pointers.current.size === 2) {
      const other = [...pointers.current].find(([id]) => id !== e.pointerId)![1];
      f.zoom(Math.max(8, Math.abs(last.x - other.x)) / Math.max(8, Math.abs(p.x - other.x)), (p.x + other.x) / 2);
    } else if (d.scale) {
      f.chosen = [d.x, p.x];
      f.draw();
    } else {
      const by = (last.x - p.x) / f.width * f.span;
      f.show(f.from + by, f.to + by);
      box.current!.scrollTop += last.y - p.y;
    }
    pointers.current.set(e.pointerId, p);
  };
  const up = (e: PointerEvent) => {
    const f = flame.current, d = drag.current;
    if (!pointers.current.delete(e.pointerId) || !d) return;
    if (d.moved) {
      if (f.chosen && Math.abs(f.chosen[1] - f.chosen[0]) > 3) f.show(f.time(Math.min(...f.chosen)), f.time(Math.max(...f.chosen)));
      f.chosen = null;
      settled();
    } else {
      const hit = f.hit(d.x, d.y);
      if (hit) select(hit.box.call);
    }
    if (pointers.current.size === 0) drag.current = null;
  };
  useEffect(() => {
    const wheel = (e: WheelEvent) => {
      const f = flame.current, p = at(e);
      e.preventDefault();
      setHover(null);
      if (p.x < f.left) { box.current!.scrollTop += e.deltaY; return; }
      const across = e.shiftKey ? e.deltaX || e.deltaY : Math.abs(e.deltaX) > Math.abs(e.deltaY) ? e.deltaX : 0;
      if (across) f.show(f.from + across / f.width * f.span, f.to + across / f.width * f.span);
      else f.zoom(Math.exp(Math.max(-100, Math.min(100, e.deltaY)) * 0.004), p.x);
      settled();
    };
    const c = canvas.current!;
    c.addEventListener('wheel', wheel, { passive: false });
    return () => c.removeEventListener('wheel', wheel);
  }, [settled]);

  // The cursor moves along the tree. The call at the cursor is read
  // out, and Enter selects it. No call stands after the first one: from there, the way on is
  // into its calls.
  const visit = (call: number) => api.get<Details>(`${path}/calls/${call}`, { lang }).then((d) => { setCursor(d.call); reveal(d.call); }, problem);
  const beside = async (c: Call, by: number) => {
    if (c.caller < 0) return;
    const list = await api.get<CallList>(`${path}/calls/${c.caller}/children`, { limit: 2000 });
    const next = list.items[list.items.findIndex((s) => s.index === c.index) + by];
    if (next) { setCursor(next); reveal(next); }
  };
  const keys = (e: KeyboardEvent) => {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const f = flame.current, c = cursor;
    const zoom = (part: number) => { f.zoom(part, c && c.startNs >= f.from && c.startNs <= f.to ? f.x(c.startNs) : undefined); settled(); };
    const pan = (part: number) => { f.show(f.from + part * f.span, f.to + part * f.span); settled(); };
    const into = () => (c ? c.below > 0 && visit(c.index + 1) : visit(0));
    const moves: Record<string, () => void> = {
      '+': () => zoom(0.6), '=': () => zoom(0.6), '-': () => zoom(1 / 0.6), '0': () => { f.show(0, f.total); settled(); },
      z: () => c && reveal(c, true), Enter: () => c && select(c.index), ' ': () => c && select(c.index),
      ArrowUp: () => c && c.caller >= 0 && visit(c.caller), ArrowDown: () => into(),
      ArrowLeft: () => (e.shiftKey ? pan(-0.25) : c ? beside(c, -1) : visit(0)), ArrowRight: () => (e.shiftKey ? pan(0.25) : c && c.caller >= 0 ? beside(c, 1) : into()),
    };
    if (!moves[e.key]) return;
    e.preventDefault();
    e.stopPropagation();
    moves[e.key]();
  };

  // The keys of the zoom belong to the chart in the whole view. The arrow keys also do,
  // unless the focus is on an element that uses them itself.
  const latestKeys = useRef(keys);
  latestKeys.current = keys;
  useEffect(() => {
    const first = (e: KeyboardEvent) => {
      if (typing(e) || document.querySelector('dialog[open]')) return;
      if (['+', '=', '-', '0', 'z'].includes(e.key)) { latestKeys.current(e); return; }
      if (position || !e.key.startsWith('Arrow') || !(e.target === document.body || e.target instanceof Element && e.target.closest('.views'))) return;
      box.current!.focus();
      latestKeys.current(e);
    };
    addEventListener('keydown', first);
    return () => removeEventListener('keydown', first);
  }, [!position]);

  // On paper, the chart has its full height.
  useEffect(() => {
    const onto = (paper: boolean) => { box.current!.style.cssText = paper ? `flex: none; height: ${flame.current.height}px` : ''; flame.current.draw(); };
    const before = () => onto(true), after = () => onto(false);
    addEventListener('beforeprint', before);
    addEventListener('afterprint', after);
    return () => { removeEventListener('beforeprint', before); removeEventListener('afterprint', after); };
  }, []);

  // If the first call had not returned, the heading shows the time until the trace was
  // collected.
  const collected = recording?.requests.find((r) => r.number === request)?.durationNs ?? 0;
  const late = collected > 0 && ends.firstNs === ends.totalNs && ends.totalNs > collected;

  const waits = cursor && flame.current ? flame.current.find(cursor.index)?.box.waits : undefined;
  const zoomBy = (part: number) => { flame.current.zoom(part); settled(); };
  return (
    <Fragment>
      <div class="request time-head">
        {view ? <Fragment><RequestLine of={view.request} /><p class="facts">{view.facts}</p></Fragment> : <p class="quiet">{words.loading}</p>}
        <p class="tools">
          <button aria-label={w.closer} title={w.closer} onClick={() => zoomBy(0.5)}>+</button>
          <button aria-label={w.farther} title={w.farther} onClick={() => zoomBy(2)}>−</button>
          <button onClick={() => { flame.current.show(0, flame.current.total); settled(); }}>{w.whole}</button>
          <label class="choice"><input type="checkbox" checked={fold} onChange={() => change({ wrappers: fold ? 'all' : undefined })} />{w.wrappers}</label>
          {link.call && <a href={write(requestAddress({ ...link, call: undefined, line: undefined, position: undefined }))}>{w.ranking}</a>}
          {ready && <span class="quiet span">{w.span(...exactTimes([span[0], span[1]], (span[1] - span[0]) / 100))}{hidden > 0 ? ` · ${w.hidden(thousands(hidden))}` : ''}</span>}
        </p>
      </div>
      <p class="cursor" role="status">{cursor && <Fragment><b>{cursor.name}</b> {cursor.leaf ? words.untimed : cursor.unfinished ? words.unfinished : w.took(duration(cursor.durationNs), duration(cursor.ownNs))} {waits && `· ${w.waitsFor(waits.process, duration(waits.ns), duration(Math.max(0, cursor.durationNs - waits.ns)))} `}· {cursor.afterwards ? `${words.event} · ` : ''}{cursor.made === 1 ? w.madeOne : w.made(thousands(cursor.made))}{cursor.error || cursor.panic ? ` · ${w.failed}` : ''} · {cursor.process} · {w.goroutine(cursor.goroutine)}</Fragment>}</p>
      <div class="strip" title={w.strip} onPointerDown={(e) => { (e.currentTarget as Element).setPointerCapture(e.pointerId); toStrip(e); }} onPointerMove={(e) => { if (e.buttons === 1) toStrip(e); }}>
        <canvas ref={strip} role="img" aria-label={w.strip} />
        {whole && span[1] > span[0] && <div class="window" style={{ left: `${span[0] / whole.totalNs * 100}%`, width: `${(span[1] - span[0]) / whole.totalNs * 100}%` }} />}
      </div>
      <div class={'flame' + (ready ? '' : ' waiting')} ref={box} tabIndex={0} role="application" aria-label={`${w.chart}. ${w.label}`} title="" onKeyDown={keys} onScroll={() => flame.current.draw()}>
        <canvas ref={canvas} aria-hidden="true" onPointerDown={down} onPointerMove={move} onPointerUp={up} onPointerCancel={up}
          onPointerLeave={() => { if (flame.current.hovered !== null) { flame.current.hovered = null; flame.current.draw(); } setHover(null); }} />
        <div class="rest" style={{ height: `max(0px, ${height}px - 100%)` }} />
      </div>
      {hover && (
        <div class="hover" style={place(hover, canvas.current!)}>
          <b>{hover.box.name}</b><br />{hover.box.leaf ? words.untimed : hover.box.unfinished ? words.unfinished : w.took(duration(hover.box.durationNs), duration(hover.box.ownNs))}<br />
          {hover.box.run && <Fragment>{w.run(hover.box.run.length)}<br /></Fragment>}
          {hover.box.waits && <Fragment>{w.waitsFor(hover.box.waits.process, duration(hover.box.waits.ns), duration(Math.max(0, hover.box.durationNs - hover.box.waits.ns)))}<br /></Fragment>}
          <span class="quiet">{hover.lane.process}, {w.goroutine(hover.lane.goroutine)}</span>
        </div>
      )}
      {late && <p class="quiet open-end">{w.open(duration(collected), duration(ends.totalNs))}</p>}
      <p class="quiet pointer">{w.pointer}</p>
    </Fragment>
  );
}

// place puts the details of a box beside the pointer, within the page.
function place({ x, y }: { x: number; y: number }, canvas: HTMLCanvasElement) {
  const r = canvas.getBoundingClientRect();
  const left = Math.min(r.left + x + 14, innerWidth - 320);
  return { left: `${Math.max(4, left)}px`, top: `${Math.min(r.top + y + 16, innerHeight - 80)}px` };
}
