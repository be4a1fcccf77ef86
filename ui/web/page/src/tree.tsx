import { CSSProperties, Fragment, h } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Call, PluginLine, Section, Step, View, watch } from './api.ts';
import { usePage } from './context.ts';
import { useFollow } from './follow.ts';
import { Row } from './rows.ts';
import { thousands, Words } from './words.ts';

interface Props {
  rows: Row[];
  // total is the time of the longest section, in nanoseconds.
  total: number;
  // onPath are the calls of the error path.
  onPath: readonly number[];
  selected: number | null;
  focus: string;
  words: Words;
  onFocus: (key: string) => void;
  onSelect: (call: number) => void;
  // onFollow selects the call of the row that got the focus by a key.
  onFollow: (call: number) => void;
  onToggle: (row: Row) => void;
  onFold: (call: number) => void;
  onMore: (of: number) => void;
  opened: (call: number) => boolean;
}

type Ended = readonly boolean[];

// endedAt returns, for each row and each level above the row, whether the row's caller at
// that level is the last call there.
export function endedAt(rows: { level: number; last?: boolean }[]): Ended[] {
  const now: boolean[] = [];
  return rows.map((r) => { now[r.level] = r.last ?? true; return now.slice(0, r.level); });
}

// The signs of a tree, the same as in the terminal (view.Signs).
export const folds = (calls: number) => '⋯' + thousands(calls);
export const into = (section: number, title: string) => `▸ ${section} ${title}`;

const colour = (c: string): CSSProperties => (c ? { '--layer': c } : {}) as CSSProperties;

// Tree draws the rows as a tree for a keyboard and a screen reader. One row has the
// focus.
export function Tree(p: Props) {
  const box = useRef<HTMLDivElement>(null);
  const at = Math.max(0, p.rows.findIndex((r) => r.key === p.focus));
  const follow = useFollow();
  const wanted = useRef<ScrollLogicalPosition | ''>(''); // where to scroll the row with the key focus when it gets the browser's focus; '' if that is not due

  useLayoutEffect(() => {
    if (!wanted.current) return;
    const block = wanted.current;
    wanted.current = '';
    box.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus({ preventScroll: true });
    box.current?.querySelector('[tabindex="0"]')?.scrollIntoView({ block });
  });
  const reached = useRef<number | null>(null); // the selected call whose row has been in sight
  useEffect(() => {
    if (reached.current !== p.selected) reached.current = null;
    const row = box.current?.querySelector('[aria-selected="true"]'), view = box.current?.parentElement;
    if (!row || !view || p.selected === null || reached.current === p.selected) return;
    reached.current = p.selected;
    const at = row.getBoundingClientRect(), seen = view.getBoundingClientRect();
    if (at.top < seen.top || at.bottom > seen.bottom) row.scrollIntoView({ block: 'center' });
  }, [p.selected, p.rows.length]);

  const go = (i: number, block: ScrollLogicalPosition = 'nearest') => {
    const row = p.rows[Math.min(p.rows.length - 1, Math.max(0, i))];
    wanted.current = block;
    p.onFocus(row.key);
    follow(row.kind === 'step' || row.kind === 'call' ? () => p.onFollow(row.call) : undefined);
  };
  const parent = (i: number) => {
    for (let k = i - 1; k >= 0; k--) if (p.rows[k].level < p.rows[i].level) return k;
    return i;
  };
  const act = (row: Row) => {
    follow();
    if (row.kind === 'section') p.onToggle(row);
    else if (row.kind === 'link') go(p.rows.findIndex((r) => r.kind === 'section' && r.section.number === row.step.section), 'start');
    else if (row.kind === 'more') p.onMore(row.of);
    else p.onSelect(row.call);
  };
  const keys = (e: KeyboardEvent) => {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const row = p.rows[at];
    const page = Math.max(1, Math.floor((box.current?.parentElement?.clientHeight ?? 400) / 26) - 1);
    const moves: Record<string, () => void> = {
      ArrowDown: () => go(at + 1), ArrowUp: () => go(at - 1), Home: () => go(0), End: () => go(p.rows.length - 1),
      PageDown: () => go(at + page), PageUp: () => go(at - page), Enter: () => act(row), ' ': () => act(row),
      ArrowRight: () => {
        if (row.kind === 'link') act(row);
        else if (row.kind === 'section') row.open ? go(at + 1) : p.onToggle(row);
        else if (row.kind === 'step' && row.open === false) p.onToggle(row);
        else if (row.kind === 'step' && row.step.folded > 0 && !p.opened(row.call)) p.onFold(row.call);
        else if (row.kind === 'call' && row.open === false) p.onToggle(row);
        else if (row.kind !== 'more') go(at + 1);
      },
      ArrowLeft: () => {
        if ((row.kind === 'section' || row.kind === 'call') && row.open) p.onToggle(row);
        else if (row.kind === 'step' && p.opened(row.call)) p.onFold(row.call);
        else if (row.kind === 'step' && row.open) p.onToggle(row);
        else go(parent(at));
      },
    };
    const move = moves[e.key];
    if (!move) return;
    e.preventDefault();
    move();
  };

  const ended = endedAt(p.rows);
  return (
    <div class="tree" role="tree" aria-label={p.words.tree} ref={box} onKeyDown={keys}>
      {p.rows.map((row, i) => (
        <div key={row.key} role="treeitem" aria-level={row.level} tabIndex={i === at ? 0 : -1} id={'row-' + row.key}
          class={`row ${row.kind}` + ('call' in row && p.onPath.includes(row.call) ? ' on-path' : '')} aria-selected={'call' in row && row.kind !== 'link' && holds(row, p.selected)}
          aria-expanded={'open' in row ? row.open : undefined}
          onFocus={(e) => { if (e.target === e.currentTarget && i !== at) p.onFocus(row.key); }}
          onClick={() => { p.onFocus(row.key); act(row); }}>
          {row.kind === 'section' ? <SectionRow section={row.section} open={row.open} total={p.total} reached={i === at} onSelect={p.onSelect} />
            : row.kind === 'link' ? <LinkRow row={row} words={p.words} ended={ended[i]} />
            : row.kind === 'more' ? <Fragment><Guides level={row.level} last={true} ended={ended[i]} /><span class="more">{p.words.more(thousands(row.left))}</span></Fragment>
            : row.kind === 'call' ? <CallRow row={row} words={p.words} ended={ended[i]} toggle={() => p.onToggle(row)} />
            : <StepRow row={row} words={p.words} ended={ended[i]} toggle={() => p.onToggle(row)} fold={() => p.onFold(row.call)} onSelect={p.onSelect} reached={i === at} opened={p.opened(row.call)} />}
        </div>
      ))}
    </div>
  );
}

const holds = (row: Row, call: number | null) =>
  call !== null && ((row.kind === 'step' && (row.call === call || (row.step.calls ?? []).includes(call))) || (row.kind === 'call' && row.call === call));

// most is the number of sentences of a section that are shown at first.
const most = 6;

// SectionRow is a line of the outline: the section's title and time, and its sentences.
// A sentence leads to the call that proves it. Tab reaches the sentences of the row that
// has the focus.
function SectionRow({ section: s, open, total, reached, onSelect }: { section: Section; open: boolean; total: number; reached: boolean; onSelect: (call: number) => void }) {
  const { words } = usePage();
  const [all, setAll] = useState(false);
  const shown = all || s.sentences.length <= most + 1 ? s.sentences : s.sentences.slice(0, most);
  const button = (kind: string, text: string, act: () => void, title?: string) => (
    <button class={'said' + kind} tabIndex={reached ? 0 : -1} title={title} onClick={(e) => { e.stopPropagation(); act(); }} onKeyDown={(e) => { if (e.key === 'Enter' || e.key === ' ') e.stopPropagation(); }}>{text}</button>
  );
  return (
    <div class="heading" style={colour(s.colour)}>
      <span class="title">
        <span class={'chevron' + (open ? ' open' : '')} aria-hidden="true" /><span class="number">{s.number}</span> {s.title}
        {s.root.time && <span class="took"><i aria-hidden="true" style={{ width: `${Math.max(1, 100 * s.root.durationNs / total)}%` }} />{s.root.time}</span>}
      </span>
      {shown.map((said) => button('', said.text, () => onSelect(said.call), words.proof))}
      {shown.length < s.sentences.length && button(' rest', words.more(thousands(s.sentences.length - shown.length)), () => setAll(true))}
      {s.role && <span class="role">{words.inGeneral(s.role)}</span>}
      {s.called && <span class="called">{s.called}</span>}
    </div>
  );
}

// Guides draws the lines from the callers to a row. ended has, by level, whether the
// caller at that level is the last call there.
export function Guides({ level, last, dotted, top, ended }: { level: number; last: boolean; dotted?: boolean; top?: boolean; ended: Ended }) {
  const lines = [];
  for (let i = 3; i < level; i++) lines.push(<i class={'g' + (ended[i] ? ' ended' : '')} />);
  if (level > 2 && !top) lines.push(<i class={'g elbow' + (last ? ' last' : '') + (dotted ? ' dotted' : '')} />);
  return <span class="guides" aria-hidden="true">{lines}</span>;
}

function Name({ name, layer, strong }: { name: string; layer: string; strong: boolean }) {
  const cut = name.includes(' ') ? -1 : name.lastIndexOf('.', name.indexOf('(') > 0 ? name.indexOf('(') : name.indexOf('.'));
  const [pkg, rest] = cut > 0 ? [name.slice(0, cut + 1), name.slice(cut + 1)] : ['', name];
  return <span class={'name' + (strong ? ' key' : '')} style={colour(layer)}>{pkg && <span class="pkg">{pkg}</span>}<wbr />{humps(rest)}</span>;
}

// humps lets a narrow screen break a name between its words.
const humps = (name: string) => name.split(/(?<=[a-z\d)])(?=[A-Z.])/).map((part, i) => (i > 0 ? <Fragment><wbr />{part}</Fragment> : part));

function Chevron({ open, words, toggle }: { open?: boolean; words: Words; toggle: () => void }) {
  if (open === undefined) return <span class="nochevron" aria-hidden="true" />;
  return <span class={'chevron' + (open ? ' open' : '')} aria-hidden="true" title={open ? words.close : words.open}
    onClick={(e) => { e.stopPropagation(); toggle(); }} />;
}

type StepRowOf = Extract<Row, { kind: 'step' | 'link' }>;

function StepRow({ row, words, ended, toggle, fold, onSelect, reached, opened }: { row: StepRowOf; words: Words; ended: Ended; toggle: () => void; fold: () => void; onSelect: (call: number) => void; reached: boolean; opened: boolean }) {
  const s = row.step;
  return (
    <Fragment>
      <span class="time">{s.time}</span>
      <Guides level={row.level} last={row.last} dotted={row.through > 0} ended={ended} />
      <Chevron open={row.open} words={words} toggle={toggle} />
      <div class="what">
        <Name name={s.name} layer={s.colour} strong={s.key} />
        {s.calls && <span class="count" title={words.again(s.calls.length)}>×{thousands(s.calls.length)}</span>}
        {s.newGoroutine && <span class="mark" title={words.goroutine}>go</span>}
        {s.handoff && <span class="mark" title={s.handoff === watch ? words.event : words.handoff(s.handoff)}>{s.handoff === watch ? words.eventMark : s.handoff}</span>}
        {s.process && <span class="mark">{s.process}</span>}
        {s.place && <span class="place">{s.place}</span>}
        {s.folded > 0 && <span class={'fold' + (opened ? ' opened' : '')} title={opened ? words.hideFolded : words.showFolded + words.colon + words.folded(thousands(s.folded))}
          onClick={(e) => { e.stopPropagation(); fold(); }}>{folds(s.folded)}</span>}
        {s.failure && <span class={s.fatal ? 'failure' : 'handled'}>{s.failure}</span>}
        {(s.values.length > 0 || s.plugins || s.errors) && (
          <div class="values">
            {s.values.map((v) => <span class={v.decides ? 'decides' : ''}>{pair(v.text)}</span>)}
            {s.plugins?.map((p) => <span class={'line' + (p.decides ? ' decides' : '')}><Plugins of={p} reached={reached} onSelect={onSelect} /></span>)}
            {s.errors?.map((t) => <span class="line failure">{t}</span>)}
          </div>
        )}
      </div>
    </Fragment>
  );
}

// Plugins writes a line of plugins. Each name leads to the call of its plugin. Tab reaches the
// names of the row that has the focus.
function Plugins({ of, reached, onSelect }: { of: PluginLine; reached: boolean; onSelect: (call: number) => void }) {
  let from = 0;
  const parts = (of.calls ?? []).map((c) => {
    const at = of.text.indexOf(c.name, from);
    if (at < 0) return null;
    const before = of.text.slice(from, at);
    from = at + c.name.length;
    return <Fragment>{before}<button class="link plugin" tabIndex={reached ? 0 : -1} onClick={(e) => { e.stopPropagation(); onSelect(c.call); }} onKeyDown={(e) => { if (e.key === 'Enter' || e.key === ' ') e.stopPropagation(); }}>{c.name}</button></Fragment>;
  });
  return <Fragment>{parts}{of.text.slice(from)}</Fragment>;
}

// pair writes "name=value" with a quiet name.
function pair(text: string) {
  const at = text.indexOf('=');
  return at < 0 ? text : <Fragment><span class="label">{text.slice(0, at)}</span>={text.slice(at + 1)}</Fragment>;
}

function LinkRow({ row, words, ended }: { row: StepRowOf; words: Words; ended: Ended }) {
  const s = row.step;
  return (
    <Fragment>
      <span class="time">{s.time}</span>
      <Guides level={row.level} last={row.last} dotted={row.through > 0} ended={ended} />
      <div class="what"><span class="tosection" style={colour(s.colour)} title={words.toSection(s.section!)}>{into(s.section!, s.name)}</span></div>
    </Fragment>
  );
}

function CallRow({ row, words, ended, toggle }: { row: Extract<Row, { kind: 'call' }>; words: Words; ended: Ended; toggle: () => void }) {
  const c = row.info;
  return (
    <Fragment>
      <span class="time">{c.time}</span>
      <Guides level={row.level} last={row.last} ended={ended} />
      <Chevron open={row.open} words={words} toggle={toggle} />
      <div class="what">
        <Name name={c.name} layer={c.colour} strong={c.key} />
        {c.newGoroutine && <span class="mark" title={words.goroutine}>go</span>}
        {c.afterwards && <span class="mark" title={words.event}>{words.eventMark}</span>}
        {c.place && <span class="place">{c.place}</span>}
        {(c.error || c.panic) && <span class="handled" role="img" aria-label={c.panic ? words.panic : words.error}>✗</span>}
      </div>
    </Fragment>
  );
}

// RequestLine is the line of a request as a heading. Its status is marked, and its path
// may break between words.
export function RequestLine({ of }: { of: string }) {
  const [, line, status] = /^(.*?)(?: → (\d+))?$/s.exec(of)!;
  const parts = line.split(/(?<=[a-z\d])(?=[A-Z])|(?<=[/?&])/);
  return <h1>{parts.map((part, i) => (i > 0 ? <Fragment><wbr />{part}</Fragment> : part))}{status && <Fragment> <span class={'status' + (Number(status) >= 400 ? ' bad' : '')}>{'→ ' + status}</span></Fragment>}</h1>;
}

// Heading names the request above its tree. Each step of the error
// path links to its call.
export function Heading({ view, onSelect }: { view: View; onSelect: (call: number) => void }) {
  return (
    <div class="request">
      <RequestLine of={view.request} />
      <p class="facts">{view.facts}</p>
      {view.errorPath ? <ol class="failure path">{view.errorPath.map((step) => <li><button onClick={() => onSelect(step.call)}>{step.text}</button></li>)}</ol>
        : view.failure && <p class="failure">{view.failure}</p>}
      {view.warnings.map((w) => <p class="warning">{w}</p>)}
      {view.running && <p class="facts">{view.running}</p>}
      {[...view.stored, ...view.delivered].map((w) => <p class="stored">{w}</p>)}
    </div>
  );
}
