import { h } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { usePage } from './context.ts';

const least = 20, most = 80, step = 2;

const known = () => { try { return Number(localStorage.getItem('split')) || 0; } catch { return 0; } };
const keep = (share: number) => { try { share ? localStorage.setItem('split', share.toFixed(1)) : localStorage.removeItem('split'); } catch { /* a private window */ } };

// Split is the border between the left and the right part of a view. The reader drags it,
// or moves it with the arrow keys. A double click resets it. The browser remembers its
// position, as a share of the width in percent.
export function Split() {
  const { words } = usePage();
  const bar = useRef<HTMLDivElement>(null);
  const set = (share: number) => {
    const at = share && Math.min(most, Math.max(least, share));
    keep(at);
    draw(at);
  };
  const draw = (share: number) => {
    bar.current!.parentElement!.style.setProperty('--split', share ? `${share}%` : '');
    bar.current!.setAttribute('aria-valuenow', String(Math.round(share || now())));
  };
  const now = () => { const box = bar.current!.parentElement!.getBoundingClientRect(); return 100 * (bar.current!.getBoundingClientRect().left - box.left) / box.width; };
  useLayoutEffect(() => draw(known()), []);
  return (
    <div class="split" ref={bar} role="separator" aria-orientation="vertical" aria-label={words.split} aria-valuemin={least} aria-valuemax={most} tabIndex={0}
      onDblClick={() => set(0)}
      onKeyDown={(e) => {
        const by = e.key === 'ArrowLeft' ? -step : e.key === 'ArrowRight' ? step : 0;
        if (!by || e.ctrlKey || e.metaKey || e.altKey) return;
        e.preventDefault();
        set(now() + by);
      }}
      onPointerDown={(e) => { e.preventDefault(); e.currentTarget.setPointerCapture(e.pointerId); }}
      onPointerMove={(e) => {
        if (!e.currentTarget.hasPointerCapture(e.pointerId)) return;
        const box = bar.current!.parentElement!.getBoundingClientRect();
        set(100 * (e.clientX - box.left) / box.width);
      }} />
  );
}
