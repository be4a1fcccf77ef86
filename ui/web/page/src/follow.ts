// Selects the row that has the focus, so that a reader with a keyboard sees its source.

import { useCallback, useEffect, useRef } from 'preact/hooks';
import { startTimer, stopTimer } from './idle.ts';
import { roomy } from './request.tsx';

const rest = 80; // the time in milliseconds that the focus stays on a row before the row is selected

// useFollow returns a function for each move of the focus. select selects the row with the
// focus; without it, the row cannot be selected. The row is selected if the focus stays on it.
// On a narrow screen, where the source takes the place of the tree, nothing is selected.
export function useFollow(): (select?: () => void) => void {
  const timer = useRef(0);
  useEffect(() => () => stopTimer(timer.current), []);
  return useCallback((select) => {
    stopTimer(timer.current);
    if (select && roomy()) timer.current = startTimer(select, rest);
  }, []);
}
