import { CSSProperties, Fragment, h } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Details, Place, requestPath } from './api.ts';
import { BootMap } from './bootmap.tsx';
import { Page, useAsking, useLatest, usePage, useRequest } from './context.ts';
import { cancelFrame, onFrame } from './idle.ts';
import { firstView, requestAddress } from './link.ts';
import { typing } from './keys.ts';
import { pathOf, Rect, Router } from './routing.ts';
import { RequestLine } from './tree.tsx';
import { thousands } from './words.ts';

export interface MapStation { id: string; layer: string; title: string; colour: string; tier: number; calls: number; ownNs: number; time?: string; first: number; visits: number[] }
export interface MapServer { name: string; calls: number; stations: MapStation[] }
export interface MapVisit {
  number: number; station: string; from: number; via: string[]; title: string; call: number; name: string; time: string; called?: string; sentences: string[];
  failed?: boolean; afterwards?: boolean;
}
export interface RequestMap { request: string; facts: string; programs: { name: string; version: string; calls: number; servers: MapServer[] }[]; visits: MapVisit[] }

const colour = (c: string): CSSProperties => (c ? { '--layer': c } : {}) as CSSProperties;
const client = 'client';

// openCall shows a call in a view of a request: in the tree, unless another one is named.
export const openCall = ({ api, goTo, problem }: Page, place: Place, call: number, wanted: () => boolean, view = firstView, more: Record<string, string> = {}) =>
  api.get<Details>(`${requestPath(place)}/calls/${call}`).then((d) => {
    if (wanted()) goTo(requestAddress({ place, view, call: { function: d.call.function, caller: d.stack[0]?.function ?? '', nth: d.nth }, more }));
  }, (e) => { if (wanted()) problem(e); });

// Map draws the programs that take part, and the way of the request through them. Its
// address has "stop", the number of the current station. A station opens the source of
// its call beside the map (source=beside).
export function RequestMapView() {
  const page = usePage();
  const { api, lang, words: all, problem } = page;
  const words = all.map;
  const { path, place, link, change, recording } = useRequest();
  const [map, setMap] = useState<RequestMap | null>(null);
  const begin = useLatest();
  useAsking(() => {
    let left = false;
    setMap(null);
    api.get<RequestMap>(path + '/map', { lang }).then((m) => left || setMap(m), (e) => left || problem(e));
    return () => { left = true; };
  }, [path, lang]);
  const method = recording?.requests[place.request - 1]?.method;
  const ofProgram = method === 'START' || method === 'STOP';
  // The arrow keys follow the way wherever the focus is, for example while it is still
  // on the choice of the view.
  const follow = useRef<(by: number) => void>(() => {});
  useEffect(() => {
    const keys = (e: KeyboardEvent) => {
      const by = e.key === 'ArrowRight' ? 1 : e.key === 'ArrowLeft' ? -1 : 0;
      if (by === 0 || e.ctrlKey || e.metaKey || e.altKey || e.shiftKey || e.defaultPrevented || typing(e) || document.querySelector('dialog[open]')) return;
      e.preventDefault();
      follow.current(by);
    };
    addEventListener('keydown', keys);
    return () => removeEventListener('keydown', keys);
  }, []);
  if (!map) return <p class="quiet loading">{all.loading}</p>;
  const at = Math.min(map.visits.length, Math.max(0, Number.parseInt(link.more.stop ?? '', 10) || 0));
  const go = (n: number) => change({ stop: n > 0 ? String(Math.min(map.visits.length, n)) : undefined });
  follow.current = (by) => go(at + by);
  const open = (call: number) => openCall(page, place, call, begin());
  const beside = (call: number) => openCall(page, place, call, begin(), link.view, { ...link.more, source: 'beside' });
  const opened = link.call && link.more.source === 'beside' ? `${link.call.function} ${link.call.caller} ${link.call.nth}` : '';
  return (
    <div class="map-view"><div class="map-all">
      <div class="request"><RequestLine of={map.request} /><p class="facts">{map.facts}</p></div>
      {method === 'START' && place.release !== 'live' && <BootMap release={place.release} place={place} />}
      <div class="map-controls">
        <span class="switch" role="group" aria-label={words.way}>
          <button title={words.first} aria-label={words.first} onClick={() => go(1)}>|◀</button>
          <button title={words.back + ' (←)'} aria-label={words.back} disabled={at === 0} onClick={() => go(at - 1)}>◀</button>
          <button title={words.next + ' (→)'} aria-label={words.next} disabled={at === map.visits.length} onClick={() => go(at + 1)}>▶</button>
          <button aria-pressed={at === 0} onClick={() => go(0)}>{words.all}</button>
        </span>
        <span class="quiet map-times">{!ofProgram && words.boxTimes + all.map.gap}{words.listTimes}</span>
        <span class="where" aria-live="polite">{at > 0 ? `${words.at(at, map.visits.length)}${all.colon}${map.visits[at - 1].title}` : ''}</span>
      </div>
      <p class="facts map-help">{ofProgram ? words.helpList : words.help}</p>
      <div class={'map-both' + (ofProgram ? ' no-picture' : '')}>
        {!ofProgram && <Picture map={map} at={at} opened={opened} open={beside} />}
        <Way map={map} at={at} covered={opened !== ''} alone={ofProgram} go={go} open={open} />
      </div>
    </div></div>
  );
}

// Way lists the stations of the picture, in order. The current one comes into sight if the list
// scrolls on its own beside the picture, or if the list is alone, without a picture; not if a
// source covers the list.
function Way({ map, at, covered, alone, go, open }: { map: RequestMap; at: number; covered: boolean; alone: boolean; go: (n: number) => void; open: (call: number) => void }) {
  const { words: all } = usePage();
  const words = all.map;
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => {
    const all = list.current!, scrolls = all.scrollHeight > all.clientHeight;
    if (!covered && (scrolls || alone)) all.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
  }, [at]);
  const where = (id: string) => {
    for (const p of map.programs) for (const s of p.servers) for (const t of s.stations) if (t.id === id) return { place: s.name || p.name, colour: t.colour };
    return { place: '', colour: '' };
  };
  return (
    <ol class="way" ref={list} aria-label={words.way}>
      {map.visits.map((v) => {
        const w = where(v.station);
        return (
          <li class={(v.number === at ? 'here ' : '') + (v.failed ? 'failed-there' : '')} style={colour(w.colour)} aria-current={v.number === at ? 'step' : undefined}>
            <button class="link title" onClick={() => go(v.number)}><b>{v.number}</b> {v.title}</button> <span class="place">{w.place}{v.afterwards ? words.and + words.gap + words.afterwards : ''}{v.time && ` · ${v.time}`}</span>
            {v.sentences.map((s) => <span class="said">{s}</span>)}
            {v.number === at && v.called && <span class="called">{v.called}</span>}
            <button class="link in-tree" onClick={() => open(v.call)} aria-label={words.inTree + all.colon + v.title}>{words.inTree} →</button>
          </li>
        );
      })}
    </ol>
  );
}

interface Line { number: number; d: string; end: string; from: string; to: string; colour: string; failed: boolean }

// Picture draws programs, servers and stations as boxes, and the way as lines behind
// them. opened names the call whose source stands beside the picture. Then the station that the
// reader selected comes into sight.
function Picture({ map, at, opened, open }: { map: RequestMap; at: number; opened: string; open: (call: number) => void }) {
  const { words: all } = usePage();
  const words = all.map;
  const box = useRef<HTMLDivElement>(null);
  const dot = useRef<SVGCircleElement>(null);
  const [lines, setLines] = useState<Line[]>([]);
  const [size, setSize] = useState<[number, number]>([0, 0]);
  const [hover, setHover] = useState('');
  const before = useRef(at), clicked = useRef('');
  useLayoutEffect(() => {
    const measure = () => {
      const whole = box.current!.getBoundingClientRect();
      setSize([Math.round(whole.width), Math.round(whole.height)]);
      const place = (e: Element): Rect => {
        const r = e.getBoundingClientRect();
        return { left: r.left - whole.left, top: r.top - whole.top, right: r.right - whole.left, bottom: r.bottom - whole.top };
      };
      const rects = new Map<string, Rect>();
      for (const b of box.current!.querySelectorAll<HTMLElement>('[data-id]')) rects.set(b.dataset.id!, place(b));
      setLines(linesOf(map, rects, [...box.current!.querySelectorAll('h2, h3, .also')].map(place), { left: 0, top: 0, right: whole.width, bottom: whole.height }));
    };
    const observed = new ResizeObserver(measure);
    observed.observe(box.current!);
    return () => observed.disconnect();
  }, [map]);
  // The dot moves along the line only if the reader goes to the next station, and
  // does not want reduced motion.
  useEffect(() => {
    const line = lines.find((l) => l.number === at), circle = dot.current;
    const moved = at === before.current + 1;
    before.current = at;
    if (!line || !circle) return;
    const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
    path.setAttribute('d', line.d);
    const length = path.getTotalLength();
    const put = (part: number) => { const p = path.getPointAtLength(length * part); circle.setAttribute('cx', String(p.x)); circle.setAttribute('cy', String(p.y)); };
    if (!moved || matchMedia('(prefers-reduced-motion: reduce)').matches) { put(1); return; }
    let frame = 0;
    const began = performance.now();
    const step = (now: number) => { const part = Math.min(1, (now - began) / 450); put(part); if (part < 1) frame = onFrame(step); };
    frame = onFrame(step);
    return () => cancelFrame(frame);
  }, [at, lines]);
  useEffect(() => {
    if (at > 0) box.current?.querySelector(`[data-id="${CSS.escape(map.visits[at - 1].station)}"]`)?.scrollIntoView({ block: 'nearest' });
  }, [at, map]);
  useEffect(() => {
    if (opened && clicked.current) box.current?.querySelector(`[data-id="${CSS.escape(clicked.current)}"]`)?.scrollIntoView({ block: 'nearest' });
  }, [opened]);
  const here = at > 0 ? map.visits[at - 1].station : '';
  const longest = Math.max(1, ...map.programs.flatMap((p) => p.servers.flatMap((s) => s.stations.map((t) => t.ownNs))));
  const station = (t: MapStation) => {
    const visits = t.visits.filter((n) => at === 0 || n <= at);
    return (
      <button key={t.id} data-id={t.id} class={'station' + (t.calls === 0 ? ' off' : t.visits.length === 0 ? ' passing' : '') + (t.id === here ? ' here' : '') + (at > 0 && visits.length === 0 ? ' later' : '')}
        style={{ ...colour(t.colour), '--part': `${t.ownNs / longest * 100}%` } as CSSProperties} title={t.time && words.own(t.time)} aria-disabled={t.first < 0} onClick={() => { clicked.current = t.id; if (t.first >= 0) open(t.visits.length > 0 ? map.visits[(t.visits.includes(at) ? at : t.visits[0]) - 1].call : t.first); }}
        onMouseEnter={() => setHover(t.id)} onMouseLeave={() => setHover('')} onFocus={() => setHover(t.id)} onBlur={() => setHover('')}>
        {t.visits.length > 0 && <span class="numbers">{t.visits.map((n) => <b class={n === at ? 'now' : ''}>{n}</b>)}</span>}
        <span class="station-title">{t.title}</span>
        <span class="station-calls">{t.calls === 0 ? words.notReached : t.calls === 1 ? words.oneCall : words.calls(thousands(t.calls))}{t.time && <Fragment>{' · '}<b>{t.time}</b></Fragment>}</span>
        {t.ownNs > 0 && <span class="station-time" aria-hidden="true" />}
      </button>
    );
  };
  // A station may have calls only within the calls of other stations. Then the way does
  // not touch the station, and it is drawn below the others.
  const passing = (t: MapStation) => t.calls > 0 && t.visits.length === 0 && !map.visits.some((v) => v.via.includes(t.id));
  // A station that only handles the event of a write is not part of a server's handling
  // of the request. It is drawn after the servers.
  const later = (t: MapStation) => t.visits.length > 0 && t.visits.every((n) => map.visits[n - 1].afterwards);
  const tiers = (s: MapServer) => {
    const on = s.stations.filter((t) => !passing(t)), also = s.stations.filter(passing);
    return (
      <Fragment>
        {[...new Set(on.map((t) => t.tier))].map((n) => <div class="tier">{on.filter((t) => t.tier === n).map(station)}</div>)}
        {also.length > 0 && <p class="also">{words.also}{also.map((t, i) => <Fragment><button class="link" onClick={() => open(t.first)}>{t.title} {thousands(t.calls)}{i < also.length - 1 && <span class="comma" aria-hidden="true">{words.and}</span>}</button>{words.gap}</Fragment>)}</p>}
      </Fragment>
    );
  };
  // widest is the server with the most stations: it has a column of its own.
  const widest = (p: RequestMap['programs'][0]) => p.servers.filter((s) => s.name !== '').reduce((a: MapServer | null, s) => (!a || s.stations.length > a.stations.length ? s : a), null);
  return (
    <div class="map-picture" ref={box} role="group" aria-label={words.name}>
      <svg width={size[0]} height={size[1]} aria-hidden="true">
        {lines.map((l) => {
          const state = at > 0 ? (l.number === at ? 'now' : l.number > at ? 'later' : '') : hover && (l.from === hover || l.to === hover) ? 'now' : '';
          return <g class={'line ' + state + (l.failed ? ' bad' : '')} style={colour(l.colour)}><path d={l.d} /><path class="head" d={l.end} /></g>;
        })}
        {at > 0 && <circle class="dot" r="6" ref={dot} />}
      </svg>
      <div class="map-client" data-id={client}>{words.client}</div>
      {map.programs.map((p) => (
        <section class={'map-program' + (p.calls === 0 ? ' off' : '')} aria-label={p.name}>
          <h2>{p.name} <span>{p.version}</span></h2>
          {p.servers.filter((s) => s.name === '').map((s) => <div class="map-front">{p.servers.length > 1 && <h3>{words.filterChain}</h3>}{tiers({ ...s, stations: s.stations.filter((t) => !later(t)) })}</div>)}
          <div class="map-servers">
            {p.servers.filter((s) => s.name !== '').map((s) => (
              <div class={'map-server' + (s.calls === 0 ? ' off' : '') + (s === widest(p) ? ' widest' : '')} style={{ flexGrow: s.calls === 0 ? 0 : Math.min(6, 1 + s.stations.length / 2) }}>
                <h3 title={s.calls === 0 ? words.notReachedServer : undefined}>{s.name}{s.calls === 0 && <span class="quiet"> ({words.notReached})</span>}</h3>
                {tiers(s)}
              </div>
            ))}
          </div>
          {p.servers.filter((s) => s.name === '' && s.stations.some(later)).map((s) => <div class="map-later"><h3>{words.laterGroup}</h3>{tiers({ ...s, stations: s.stations.filter(later).map((t) => ({ ...t, tier: 0 })).sort((a, b) => a.visits[0] - b.visits[0]) })}</div>)}
        </section>
      ))}
    </div>
  );
}

// linesOf returns the lines of the visits. A line goes from the station of the
// visit's caller, through the stations in between, to the visit's own station. No
// line may cross a station or a text.
function linesOf(map: RequestMap, rects: Map<string, Rect>, texts: Rect[], bounds: Rect): Line[] {
  const lines: Line[] = [];
  const colours = new Map(map.programs.flatMap((p) => p.servers.flatMap((s) => s.stations.map((t) => [t.id, t.colour] as const))));
  const router = new Router([...rects.values(), ...texts], bounds);
  for (const v of map.visits) {
    if (v.afterwards) continue;
    const from = v.from > 0 ? map.visits[v.from - 1].station : client;
    const way = [from, ...v.via, v.station].filter((id, i, all) => rects.has(id) && id !== all[i - 1]);
    let d = '', end = '';
    for (let i = 1; i < way.length; i++) {
      const points = router.route(rects.get(way[i - 1])!, rects.get(way[i])!);
      if (!points) continue;
      const path = pathOf(points);
      d += path.d;
      end += path.head;
    }
    if (d) lines.push({ number: v.number, d, end, from, to: v.station, colour: colours.get(v.station) ?? '', failed: !!v.failed });
  }
  return lines;
}
