import { Fragment, h } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { usePage } from './context.ts';
import { startTimer, stopTimer } from './idle.ts';
import { typing } from './keys.ts';
import { requestAddress } from './link.ts';
import { Results } from './search.tsx';

const pause = 200, least = 2;

// SearchBox is the field for a search. It searches while the reader types, from the
// second letter on, after a pause. The hits appear in a palette over the view, whose
// address stays; Escape closes the palette, and the focus returns to where it was. Enter in
// the field leads to the page of the search. On this page, the hits are the page, and a
// text that is typed without a break is one step in the browser's history.
export function SearchBox() {
  const { api, words, address, goTo, last, scenarios } = usePage();
  const shown = address.parts[0] === 'search' ? address.query.text ?? '' : '';
  const [text, setText] = useState(shown);
  const [found, setFound] = useState(''); // the text of the palette; empty if it is closed
  const box = useRef<HTMLInputElement>(null), palette = useRef<HTMLDivElement>(null);
  const before = useRef<HTMLElement | null>(null); // had the focus before the field
  const timer = useRef(0), going = useRef(false);
  const stop = () => { stopTimer(timer.current); timer.current = 0; };
  useEffect(() => { if (!timer.current && box.current!.value.trim() !== shown) setText(shown); }, [shown]);
  useEffect(() => { if (found) close(); }, [address]); // a hit was followed
  const close = () => { stop(); setFound(''); setText(shown); };
  const leave = () => { close(); if (before.current?.isConnected && before.current !== document.body) before.current.focus({ preventScroll: true }); else box.current?.blur(); };
  useEffect(() => {
    if (!found) return;
    const outside = (e: Event) => { if (e.target instanceof Node && !palette.current?.contains(e.target) && e.target !== box.current) close(); };
    addEventListener('pointerdown', outside);
    return () => removeEventListener('pointerdown', outside);
  }, [found]);
  const move = (e: KeyboardEvent) => {
    if (e.key === 'Escape' && (found || text !== shown)) { e.preventDefault(); leave(); return; }
    const links = [...(palette.current ?? document).querySelectorAll<HTMLElement>('.found .link')], at = links.indexOf(document.activeElement as HTMLElement);
    const inBox = e.target === box.current, to = e.key === 'ArrowDown' ? links[at + 1] : e.key === 'ArrowUp' && !inBox ? links[at - 1] ?? box.current : undefined;
    if (!inBox) e.stopPropagation();
    if (to && (inBox || palette.current)) { e.preventDefault(); to.focus(); }
  };
  useEffect(() => {
    const keys = (e: KeyboardEvent) => {
      if (e.key !== '/' || typing(e)) return;
      e.preventDefault();
      box.current?.focus();
    };
    addEventListener('keydown', keys);
    return () => { removeEventListener('keydown', keys); stop(); };
  }, []);
  const search = (wanted: string, enter = false) => {
    stop();
    if (address.parts[0] !== 'search' && !enter) { setFound(wanted); return; }
    const replace = going.current && address.parts[0] === 'search';
    going.current = true;
    if (wanted !== shown) goTo({ parts: ['search'], query: wanted ? { text: wanted } : {} }, replace);
  };
  const typed = (now: string, composing: boolean) => {
    setText(now);
    stop();
    const wanted = now.trim();
    if (!composing && (wanted.length >= least || wanted === '' && shown + found !== '')) timer.current = startTimer(() => latest.current(wanted), pause);
  };
  const latest = useRef(search); // a timer calls the search of the latest rendering
  latest.current = search;
  const recordings = scenarios.reduce((n, s) => n + s.releases.length, 0);
  const label = api.live || recordings === 0 ? words.search : words.searchIn(recordings);
  return (
    <Fragment>
      <form class="search" role="search" onSubmit={(e) => {
        e.preventDefault();
        const wanted = text.trim();
        if (wanted) search(wanted, true);
        else { stop(); if (address.parts[0] === 'search') goTo(requestAddress(last)); }
        going.current = false;
      }}>
        <input name="text" type="search" value={text} placeholder={label} aria-label={label} ref={box} autocomplete="off" spellcheck={false}
          onFocus={(e) => { if (e.relatedTarget instanceof HTMLElement && !palette.current?.contains(e.relatedTarget)) before.current = e.relatedTarget; }}
          onInput={(e) => typed(e.currentTarget.value, e.isComposing)} onCompositionEnd={(e) => typed(e.currentTarget.value, false)} onBlur={() => { going.current = false; }}
          onKeyDown={move} />
      </form>
      {found && <div class="palette" role="region" aria-label={words.searchPage} ref={palette} onKeyDown={move}><Results text={found} palette /></div>}
    </Fragment>
  );
}
