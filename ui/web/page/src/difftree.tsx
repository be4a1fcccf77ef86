import { CSSProperties, Fragment, h } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { watch } from './api.ts';
import { compareWords, signOf } from './compare-words.ts';
import { DiffStep, DiffTree, Spot } from './compare-data.ts';
import { usePage } from './context.ts';
import { useFollow } from './follow.ts';
import { DiffRow, holds, linkTo } from './diffrows.ts';
import { endedAt, folds, Guides, into } from './tree.tsx';
import { thousands } from './words.ts';

const colour = (c: string): CSSProperties => (c ? { '--layer': c } : {}) as CSSProperties;

// MergedTree draws the tree of both sides, with marks or with the sides next to each
// other. One row has the focus.
export function MergedTree({ rows, tree, sides, selected, focus, onFocus, onSelect, onCall, onToggle }: {
  rows: DiffRow[]; tree: DiffTree; sides: boolean; selected: DiffStep | null; focus: string; onFocus: (key: string) => void; onSelect: (step: DiffStep, follow?: boolean) => void;
  onCall: (call: number) => void; onToggle: (key: string) => void;
}) {
  const { lang, words: common } = usePage();
  const words = compareWords[lang];
  const box = useRef<HTMLDivElement>(null);
  const wanted = useRef<ScrollLogicalPosition | ''>(''); // where to scroll the row with the key focus when it gets the browser's focus; '' if that is not due
  const at = Math.max(0, rows.findIndex((r) => r.key === focus));
  useLayoutEffect(() => {
    if (!wanted.current) return;
    const block = wanted.current;
    wanted.current = '';
    const row = box.current?.querySelector<HTMLElement>('[tabindex="0"]');
    row?.focus({ preventScroll: true });
    row?.scrollIntoView({ block });
  });
  useEffect(() => {
    const row = box.current?.querySelector('[aria-selected="true"]');
    if (!row) return;
    const is = row.getBoundingClientRect(), seen = box.current!.closest('.compare-tree')!.getBoundingClientRect();
    if (is.top < Math.max(seen.top, 0) || is.bottom > Math.min(seen.bottom, innerHeight)) row.scrollIntoView({ block: 'center' });
  }, [selected]);
  const follow = useFollow();
  const go = (i: number, block: ScrollLogicalPosition = 'nearest') => {
    const row = rows[Math.min(rows.length - 1, Math.max(0, i))];
    wanted.current = block;
    onFocus(row.key);
    follow(row.kind === 'step' ? () => onSelect(row.step, true) : undefined);
  };
  const act = (row: DiffRow) => {
    follow();
    if (row.kind === 'section') onToggle(row.key);
    else if (row.kind === 'link') go(rows.findIndex((r) => r.kind === 'section' && r.section.number === row.step.section), 'start');
    else if (row.kind === 'ghost') onCall(row.step.call);
    else onSelect(row.step);
  };
  const keys = (e: KeyboardEvent) => {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const row = rows[at];
    const parent = () => { for (let k = at - 1; k >= 0; k--) if (rows[k].level < row.level) return k; return at; };
    const moves: Record<string, () => void> = {
      ArrowDown: () => go(at + 1), ArrowUp: () => go(at - 1), Home: () => go(0), End: () => go(rows.length - 1), PageDown: () => go(at + 15), PageUp: () => go(at - 15),
      Enter: () => act(row), ' ': () => act(row),
      ArrowRight: () => (row.kind === 'section' ? (row.open ? go(at + 1) : onToggle(row.key)) : row.kind === 'link' ? act(row) : go(at + 1)),
      ArrowLeft: () => (row.kind === 'section' ? row.open && onToggle(row.key) : go(parent())),
    };
    if (!moves[e.key]) return;
    e.preventDefault();
    moves[e.key]();
  };
  const ended = endedAt(rows);
  return (
    <div class={'tree merged' + (sides ? ' sides' : '')} role="tree" aria-label={words.tree} ref={box} onKeyDown={keys}>
      {rows.map((row, i) => (
        <div key={row.key} role="treeitem" aria-level={row.level} tabIndex={i === at ? 0 : -1} class={`row ${row.kind} ${row.kind === 'step' || row.kind === 'link' ? row.step.change : ''}`}
          aria-selected={row.kind === 'step' && !!selected && holds(row.step, selected.call)} aria-expanded={row.kind === 'section' ? row.open : undefined}
          onFocus={(e) => { if (e.target === e.currentTarget && i !== at) onFocus(row.key); }} onClick={() => { onFocus(row.key); act(row); }}>
          {row.kind === 'section' ? (
            <div class="heading" style={colour(row.section.colour)}>
              <span class="title"><span class={'chevron' + (row.open ? ' open' : '')} aria-hidden="true" /><span class="number">{row.section.number}</span> {row.section.title}</span>
              {row.section.called && <span class="called" title={words.toCaller} onClick={(e) => { const to = linkTo(rows, row.section.number); if (to >= 0) { e.stopPropagation(); go(to, 'center'); } }}>{row.section.called}</span>}
            </div>
          ) : (
            <Fragment>
              <span class="marked" {...signOf(row.kind === 'ghost' ? '>' : row.step.mark, lang)}>{row.kind === 'ghost' ? '>' : row.step.mark}</span>
              <Guides level={row.level} last={row.last} dotted={row.step.through > 0} ended={ended[i]} />
              {row.kind === 'link' && !sides ? <LinkTo step={row.step} title={tree.sections.find((s) => s.number === row.step.section)?.title ?? ''} />
                : row.kind === 'ghost' ? <span class="what"><span class="moved-away">{words.movedAway(row.step.name)}</span></span>
                : sides ? <Sides step={row.step} tree={tree} link={row.kind === 'link'} /> : <What step={row.step} />}
            </Fragment>
          )}
        </div>
      ))}
    </div>
  );
}

// LinkTo names the first step of another section, and links to it.
function LinkTo({ step: s, title }: { step: DiffStep; title: string }) {
  const { lang, words: common } = usePage();
  const words = compareWords[lang];
  return (
    <div class="what">
      <span class={'name' + (s.key ? ' key' : '')} style={colour(s.colour)}>{s.name}</span>{' '}
      <span class="tosection" style={colour(s.colour)} title={common.toSection(s.section!)}>{into(s.section!, title)}</span>
      {s.through > 0 && <span class="fold-count" title={words.below(thousands(s.through))}>{words.below(thousands(s.through))}</span>}
      {s.instead && <div class="values"><span class="line">{words.insteadOf(s.instead.name)}</span></div>}
    </div>
  );
}

function What({ step: s }: { step: DiffStep }) {
  const { words: common } = usePage();
  return (
    <div class="what">
      <span class={'name' + (s.key ? ' key' : '')} style={colour(s.colour)}>{s.name}</span>
      {s.calls && <span class="count" title={common.again(s.calls.length)}>×{thousands(s.calls.length)}</span>}
      {s.newGoroutine && <span class="mark" title={common.goroutine}>go</span>}
      {s.handoff && <span class="mark" title={s.handoff === watch ? common.event : common.handoff(s.handoff)}>{s.handoff === watch ? common.eventMark : s.handoff}</span>}
      {s.process && <span class="mark">{s.process}</span>}
      {s.place && <span class="place">{s.place}</span>}
      {s.folded > 0 && <span class="fold-count" title={common.folded(thousands(s.folded))}>{folds(s.folded)}</span>}
      {(s.details ?? []).length > 0 && <div class="values">{s.details!.map((d) => <span class="line">{d}</span>)}</div>}
    </div>
  );
}

// Sides draws a step as it is on each side, next to each other. A link leads to the section that
// begins with the step.
function Sides({ step, tree, link }: { step: DiffStep; tree: DiffTree; link: boolean }) {
  const { lang, words: common } = usePage();
  const words = compareWords[lang];
  const side = (spot: Spot | undefined, ofA: boolean) => (
    <div class={'side' + (spot ? '' : ' absent')}>
      {spot ? <Fragment>
        <span class={'name' + (step.key ? ' key' : '')} style={colour(step.colour)}>{spot.name}</span>{' '}
        {link ? <span class="tosection" style={colour(step.colour)} title={common.toSection(step.section!)}>{into(step.section!, tree.sections.find((s) => s.number === step.section)?.title ?? '')}</span> : <span class="place">{spot.place}</span>}
        {step.values.length === 0 && (step.details ?? []).length > 0 && <div class="values">{step.details!.map((d) => <span class="line">{d}</span>)}</div>}
        {step.values.length > 0 && <div class="values">{step.values.map((v) => <span class="line"><span class="label">{v.name}</span>={(ofA ? v.a : v.b) || '""'}</span>)}</div>}
        {!ofA && step.was && <div class="values"><span class="line">{words.wasCalledBy(step.was.name)}</span></div>}
      </Fragment> : <span class="quiet" title={words.added(ofA ? tree.nameB : tree.nameA)}>–</span>}
    </div>
  );
  return <Fragment>{side(step.a, true)}{side(step.b, false)}</Fragment>;
}
