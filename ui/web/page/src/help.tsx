import { h } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { compareWords, shown } from './compare-words.ts';
import { usePage } from './context.ts';
import { keyGroups, typing } from './keys.ts';

// showHelp opens the dialog of KeyHelp.
export const showHelp = () => document.querySelector<HTMLDialogElement>('dialog.keys')?.showModal();

// KeyHelp shows the signs of a tree and of a comparison and the table of keys when "?" is pressed.
export function KeyHelp() {
  const { lang, words: { keys: w } } = usePage();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const asked = (e: KeyboardEvent) => {
      if (e.key !== '?' || e.ctrlKey || e.metaKey || e.altKey || typing(e)) return;
      e.preventDefault();
      if (dialog.current?.open) dialog.current.close();
      else showHelp();
    };
    addEventListener('keydown', asked);
    return () => removeEventListener('keydown', asked);
  }, []);
  return (
    <dialog class="keys" aria-label={w.title} ref={dialog}>
      <h2 tabIndex={-1} autofocus>{w.title}</h2>
      <section>
        <h3>{w.signs}</h3>
        <dl class="signs">{w.signTable.map(([sign, says]) => <div><dt>{sign}</dt><dd>{says}</dd></div>)}</dl>
      </section>
      <section>
        <h3>{w.changes}</h3>
        <dl class="signs">{Object.entries(compareWords[lang].signs).map(([sign, says]) => <div><dt>{shown(sign)}</dt><dd>{says}</dd></div>)}</dl>
      </section>
      {keyGroups.map((g) => (
        <section key={g.title(w)}>
          <h3>{g.title(w)}</h3>
          <dl>{g.keys.map((k) => <div><dt>{k.keys.map((name) => <kbd>{name}</kbd>)}</dt><dd>{k.words(w)}</dd></div>)}</dl>
        </section>
      ))}
      <form method="dialog"><button>{w.done}</button></form>
    </dialog>
  );
}
