// Begins a new page at its top, and keeps where the reader was on the earlier ones.

import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';

const patience = 3000; // the maximum time in milliseconds until the data of an earlier page appear

const pane = () => document.querySelector('main.page');

// useTopOfPage scrolls a page that stands alone. A new page begins at its top. If back
// is set, the history leads to the page, and it is where the reader left it.
export function useTopOfPage(page: string, back: boolean) {
  const tops = useRef(new Map<string, number>());
  const here = useRef(page);
  useEffect(() => {
    const scrolled = (e: Event) => { if (e.target === pane()) tops.current.set(here.current, pane()!.scrollTop); };
    addEventListener('scroll', scrolled, true);
    return () => removeEventListener('scroll', scrolled, true);
  }, []);
  useLayoutEffect(() => {
    const main = pane();
    if (here.current === page) return;
    here.current = page;
    if (!main) return;
    const top = back ? tops.current.get(page) ?? 0 : 0;
    const reached = () => { main.scrollTop = top; return main.scrollTop >= top - 1; };
    if (reached()) return;
    const growing = new MutationObserver(() => { if (reached()) growing.disconnect(); });
    growing.observe(main, { subtree: true, childList: true });
    const ends = setTimeout(() => growing.disconnect(), patience);
    return () => { growing.disconnect(); clearTimeout(ends); };
  }, [page]);
}
