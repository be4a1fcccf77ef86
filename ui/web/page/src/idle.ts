// The mark of an idle page: <html data-idle>. Programs that drive the page, such as its
// tests, wait for this attribute before they read or use the page.
//
// The page is idle if no request is in flight, no render or effect is pending, and no
// timer or frame will change the page. Some activities do not count as work, because
// they last long and the page shows their progress: streams of events, the step player
// that plays by itself, and requests that the reader can cancel, such as a replay.

import { options } from 'preact';

let running = 0;

// begin notes that work has begun. The returned function notes the end of the work.
// More calls of it do nothing.
export function begin(): () => void {
  running++;
  delete document.documentElement.dataset.idle;
  let ended = false;
  return () => {
    if (ended) return;
    ended = true;
    // Wait, because code that runs at the end of this work may begin more work, such as
    // the handler of an answer.
    setTimeout(() => { if (--running === 0) document.documentElement.dataset.idle = ''; });
  };
}

// during counts a promise as work until it is settled, and returns the promise.
export function during<T>(work: Promise<T>): Promise<T> {
  const end = begin();
  work.then(end, end);
  return work;
}

const timers = new Map<number, () => void>(), frames = new Map<number, () => void>();

// startTimer is setTimeout for work. stopTimer stops the timer.
export function startTimer(f: () => void, milliseconds: number): number {
  const end = begin();
  const timer = window.setTimeout(() => {
    timers.delete(timer);
    try { f(); } finally { end(); }
  }, milliseconds);
  timers.set(timer, end);
  return timer;
}

export function stopTimer(timer: number) {
  clearTimeout(timer);
  timers.get(timer)?.();
  timers.delete(timer);
}

// onFrame is requestAnimationFrame for work. cancelFrame cancels it.
export function onFrame(f: (now: number) => void): number {
  const end = begin();
  const frame = requestAnimationFrame((now) => {
    frames.delete(frame);
    try { f(now); } finally { end(); }
  });
  frames.set(frame, end);
  return frame;
}

export function cancelFrame(frame: number) {
  cancelAnimationFrame(frame);
  frames.get(frame)?.();
  frames.delete(frame);
}

// Preact renders in a microtask. It runs effects after the next frame or 35
// milliseconds, whichever comes first (preact/hooks/src/index.js, afterNextFrame).
// These options do the same, and note the work.
options.debounceRendering = (render) => {
  const end = begin();
  queueMicrotask(() => { try { render(); } finally { end(); } });
};
options.requestAnimationFrame = (runEffects) => {
  const end = begin();
  const run = () => {
    clearTimeout(timer);
    cancelAnimationFrame(frame);
    setTimeout(() => { try { runEffects(); } finally { end(); } });
  };
  const timer = setTimeout(run, 35);
  const frame = requestAnimationFrame(run);
};
