import { h } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { useAsking, usePage } from './context.ts';
import { guideWords } from './guide-words.ts';
import { functionAddress, write } from './link.ts';
import { thousands } from './words.ts';

interface GuideStep { function: string; name: string; note: string; since?: string; until?: string; values: string[] }
interface GuideLayer { layer: string; title: string; colour: string; steps: GuideStep[] }

// Guide lists the content of the guide, by layer. Its address is
// #/guide?text=TEXT&layer=LAYER. TEXT filters the list. The page begins with LAYER.
export function Guide() {
  const { api, lang, words: common, address, goTo, problem } = usePage();
  const words = guideWords[lang];
  const [layers, setLayers] = useState<GuideLayer[] | null>(null);
  const text = address.query.text ?? '';
  useAsking(() => {
    let left = false;
    api.get<{ items: GuideLayer[] }>('/guide', { lang }).then((l) => left || setLayers(l.items), (e) => left || problem(e));
    return () => { left = true; };
  }, [lang]);
  const shown = useMemo(() => {
    const lower = text.toLowerCase();
    const holds = (t: string) => t.toLowerCase().includes(lower);
    return (layers ?? []).map((l) => (holds(l.title) ? l : { ...l, steps: l.steps.filter((s) => holds(s.function) || holds(s.note) || s.values.some(holds)) }))
      .filter((l) => l.steps.length > 0 || lower === '' || holds(l.title));
  }, [layers, text]);
  useEffect(() => {
    if (!layers || !address.query.layer) return;
    document.getElementById('layer-' + address.query.layer)?.scrollIntoView();
    document.getElementById('title-' + address.query.layer)?.focus({ preventScroll: true });
  }, [layers, address.query.layer]);
  if (!layers) return <p class="quiet loading">{common.loading}</p>;
  const change = (more: Record<string, string>, replace = false) =>
    goTo({ parts: ['guide'], query: Object.fromEntries(Object.entries({ ...address.query, ...more }).filter(([, v]) => v !== '')) }, replace);
  return (
    <div class="guide">
      <h1>{words.name}</h1>
      <p class="facts">{words.help(thousands(layers.reduce((n, l) => n + l.steps.length, 0)), layers.length)}</p>
      <p class="filter"><input type="search" value={text} placeholder={words.filter} aria-label={words.filter} onInput={(e) => change({ text: e.currentTarget.value, layer: '' }, true)} /></p>
      <nav class="layers-of" aria-label={words.layers}>
        {shown.map((l) => <a style={colour(l)} href={write({ parts: ['guide'], query: { ...(text ? { text } : {}), layer: l.layer } })}>{l.title} <span class="quiet">{l.steps.length}</span></a>)}
      </nav>
      {shown.length === 0 && <p>{words.none(text)}</p>}
      {shown.map((l) => (
        <section id={'layer-' + l.layer} key={l.layer} style={colour(l)} aria-labelledby={'title-' + l.layer}>
          <h2 id={'title-' + l.layer} tabIndex={-1}>{l.title} <span class="quiet">{words.steps(l.steps.length)}</span></h2>
          {l.steps.length === 0 && <p class="quiet">{words.noSteps}</p>}
          <dl>
            {l.steps.map((s) => (
              <div key={s.function + s.since + s.until}>
                <dt><a href={isPattern(s.function) ? write({ parts: ['search'], query: { text: s.function } }) : functionAddress(s.function)} title={words.where(s.function)}>{s.name}</a>{' '}
                  {s.since && <span class="quiet">{words.since(s.since)} </span>}{s.until && <span class="quiet">{words.until(s.until)}</span>}</dt>
                {s.note && <dd>{s.note}</dd>}
                {s.values.length > 0 && <dd class="records">{words.values} {s.values.join(', ')}</dd>}
              </div>
            ))}
          </dl>
        </section>
      ))}
    </div>
  );
}

// isPattern reports whether a step of the guide means several functions.
const isPattern = (name: string) => name.replaceAll('[...]', '').includes('...');

const colour = (l: GuideLayer) => (l.colour ? { '--layer': l.colour } : {}) as Record<string, string>;
