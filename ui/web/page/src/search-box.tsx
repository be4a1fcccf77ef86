import { h } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { usePage } from './context.ts';
import { startTimer, stopTimer } from './idle.ts';
import { typing } from './keys.ts';
import { requestAddress } from './link.ts';

const pause = 200, least = 2;

// SearchBox is the field for a search. It searches while the reader types, from the
// second letter on, after a pause. Enter searches at once. A text that is typed without a
// break is one step in the browser's history.
export function SearchBox() {
  const { api, words, address, goTo, last, scenarios } = usePage();
  const shown = address.parts[0] === 'search' ? address.query.text ?? '' : '';
  const [text, setText] = useState(shown);
  const box = useRef<HTMLInputElement>(null);
  const timer = useRef(0), going = useRef(false);
  const stop = () => { stopTimer(timer.current); timer.current = 0; };
  useEffect(() => { if (!timer.current && box.current!.value.trim() !== shown) setText(shown); }, [shown]);
  useEffect(() => {
    const keys = (e: KeyboardEvent) => {
      if (e.key !== '/' || typing(e)) return;
      e.preventDefault();
      box.current?.focus();
    };
    addEventListener('keydown', keys);
    return () => { removeEventListener('keydown', keys); stop(); };
  }, []);
  const search = (wanted: string) => {
    stop();
    const replace = going.current && address.parts[0] === 'search';
    going.current = true;
    if (wanted !== shown) goTo({ parts: ['search'], query: wanted ? { text: wanted } : {} }, replace);
  };
  const typed = (now: string, composing: boolean) => {
    setText(now);
    stop();
    const wanted = now.trim();
    if (!composing && (wanted.length >= least || wanted === '' && shown !== '')) timer.current = startTimer(() => latest.current(wanted), pause);
  };
  const latest = useRef(search); // a timer calls the search of the latest rendering
  latest.current = search;
  const recordings = scenarios.reduce((n, s) => n + s.releases.length, 0);
  const label = api.live || recordings === 0 ? words.search : words.searchIn(recordings);
  return (
    <form class="search" role="search" onSubmit={(e) => {
      e.preventDefault();
      const wanted = text.trim();
      if (wanted) search(wanted);
      else { stop(); goTo(requestAddress(last)); }
      going.current = false;
    }}>
      <input name="text" type="search" value={text} placeholder={label} aria-label={label} ref={box} autocomplete="off" spellcheck={false}
        onInput={(e) => typed(e.currentTarget.value, e.isComposing)} onCompositionEnd={(e) => typed(e.currentTarget.value, false)} onBlur={() => { going.current = false; }}
        onKeyDown={(e) => {
          const first = document.querySelector<HTMLElement>('.found .link');
          if (e.key === 'ArrowDown' && first) { e.preventDefault(); first.focus(); }
        }} />
    </form>
  );
}
