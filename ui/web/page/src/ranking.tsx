import { CSSProperties, h } from 'preact';
import { useState } from 'preact/hooks';
import { LayerList } from './api.ts';
import { useAsking, usePage, useRequest } from './context.ts';
import { duration } from './flame.ts';
import { thousands } from './words.ts';

interface Entry { key: string; name: string; colour: string; process: string; call: number; calls: number; ownNs: number; code?: boolean; remote?: string }

const most = 10;

// Ranking lists the layers and functions with the most own time. A
// row links to its longest call.
export function Ranking() {
  const { api, lang, words, problem } = usePage();
  const { path, selected, select } = useRequest();
  const w = words.time;
  const [list, setList] = useState<LayerList | null>(null);
  useAsking(() => {
    let left = false;
    api.get<LayerList>(path + '/layers', { lang }).then((l) => left || setList(l), (e) => left || problem(e));
    return () => { left = true; };
  }, [path, lang]);
  if (!list) return null;
  const layers = list.items.filter((l) => l.ownNs > 0).map((l): Entry => ({ key: `${l.process} ${l.layer}`, name: l.title, colour: l.colour, process: l.process, call: l.longest, calls: l.calls, ownNs: l.ownNs }))
    .sort((a, b) => b.ownNs - a.ownNs);
  const functions = list.longest.map((f): Entry => ({ key: `${f.process} ${f.function}`, name: f.name, colour: f.colour, process: f.process, call: f.longest, calls: f.calls, ownNs: f.ownNs, code: true, remote: f.remote }));
  const table = (title: string, entries: Entry[]) => {
    const top = Math.max(1, entries[0]?.ownNs ?? 1);
    return (
      <div class="ranked">
        <h2>{title}</h2>
        <ol>
          {entries.slice(0, most).map((e) => (
            <li key={e.key}>
              <button aria-current={e.call === selected} style={{ '--part': `${(100 * e.ownNs / top).toFixed(1)}%`, ...(e.colour ? { '--layer': e.colour } : {}) } as CSSProperties} onClick={() => select(e.call)}>
                <span class="long">{duration(e.ownNs)}</span> <span class={'of' + (e.code ? ' code-name' : '')}>{e.name}</span> {e.calls > 1 && <span class="quiet">{w.times(thousands(e.calls))}</span>} <span class="quiet">{e.process}{e.remote && ` · ${w.onTheWay(e.remote)}`}</span>
              </button>
            </li>
          ))}
        </ol>
      </div>
    );
  };
  return (
    <section class="ranking">
      <h1>{w.ranking}</h1>
      <p class="quiet">{w.ownTime}</p>
      {table(w.byFunction, functions)}{table(w.byLayer, layers)}
    </section>
  );
}
