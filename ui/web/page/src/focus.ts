// Keeps the keyboard focus when a new address removes the focused element.

import { useEffect, useRef } from 'preact/hooks';
import { Address, write } from './link.ts';

const patience = 3000; // the maximum time in milliseconds until the tree of a request appears

// useFocusKept gives the focus to the new view if the focused element is gone.
// Otherwise the next Tab would begin at the top of the page. In a view with a tree, the
// selected row gets the focus when it appears.
export function useFocusKept(address: Address) {
  const first = useRef(true);
  useEffect(() => {
    if (first.current) { first.current = false; return; }
    const main = document.querySelector('main');
    if (!main || document.activeElement && document.activeElement !== document.body) return;
    main.tabIndex = -1;
    main.focus({ preventScroll: true });
    let last: Element = main; // the last element that got the focus here: another row may be selected before the row of the address
    const toRow = () => {
      const row = main.querySelector<HTMLElement>('[role=treeitem][aria-selected=true]');
      if (document.activeElement !== last && document.activeElement !== document.body) seeking.disconnect();
      else if (row && row !== last) (last = row).focus({ preventScroll: true });
    };
    const seeking = new MutationObserver(toRow);
    seeking.observe(main, { subtree: true, childList: true, attributes: true, attributeFilter: ['aria-selected'] });
    const ends = setTimeout(() => seeking.disconnect(), patience);
    toRow();
    return () => { seeking.disconnect(); clearTimeout(ends); };
  }, [write(address)]);
}
