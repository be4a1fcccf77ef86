import { h } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { CallList, Details, get, Hit, HitList, Place, Problem, Recording, recordingPath, requestPath } from './api.ts';
import { CallName } from './link.ts';
import { thousands, Words } from './words.ts';

const part = 30;

// Search lists what recordings have a text: functions, values, errors.
export function Search({ text, words, onOpen, onProblem }: {
  text: string; words: Words; onOpen: (place: Place, call?: CallName) => void; onProblem: (p: Problem) => void;
}) {
  const [hits, setHits] = useState<Hit[] | null>(null);
  const [total, setTotal] = useState(0);
  const [most, setMost] = useState(part);
  useEffect(() => {
    let left = false;
    get<HitList>('/search', { text, limit: most }).then((l) => { if (!left) { setHits(l.items); setTotal(l.total); } }, onProblem);
    return () => { left = true; };
  }, [text, most]);
  useEffect(() => setMost(part), [text]);
  if (!hits) return <p class="quiet loading">{words.loading}</p>;
  const open = (hit: Hit, release: string, scenario: string) => locate(hit, release, scenario).then(([place, call]) => onOpen(place, call), onProblem);
  return (
    <div class="found" aria-live="polite">
      <h1>{words.found(thousands(total), text)}</h1>
      <ul>
        {hits.map((hit) => (
          <li key={hit.kind + hit.text}>
            <p><span class="kind">{words.kinds[hit.kind]}</span> <span class="text">{hit.kind === 'function' ? hit.text : hit.short}</span></p>
            <p class="places">
              {hit.places.slice(0, 12).map((p) => (
                <button class="link" title={p.releases.join(', ')} onClick={() => open(hit, p.releases[0], p.scenario)}>{p.scenario} <span class="quiet">{p.releases.length > 1 ? `${p.releases.at(-1)} – ${p.releases[0]}` : p.releases[0]}</span></button>
              ))}
              {hit.places.length > 12 && <span class="quiet">{words.scenariosMore(hit.places.length - 12)}</span>}
            </p>
          </li>
        ))}
      </ul>
      {hits.length < total && <button onClick={() => setMost(Math.min(2000, most * 4))}>{words.more(thousands(total - hits.length))}</button>}
    </div>
  );
}

// locate finds the first call of a recording that has what was found.
async function locate(hit: Hit, release: string, scenario: string): Promise<[Place, CallName?]> {
  const text = hit.kind === 'value' ? hit.text.slice(hit.text.indexOf('=') + 1) : hit.text;
  const recording = await get<Recording>(recordingPath({ release, scenario, request: 1 }));
  for (const r of recording.requests) {
    const place = { release, scenario, request: r.number };
    const path = requestPath(place);
    let index = -1;
    if (hit.kind === 'function') index = (await get<{ index: number }>(path + '/find', { function: hit.text })).index;
    else if (text !== '') index = (await get<CallList>(path + '/calls', { text, limit: 1 })).items[0]?.index ?? -1;
    if (index < 0) continue;
    const d = await get<Details>(`${path}/calls/${index}`);
    return [place, { function: d.call.function, caller: d.stack[0]?.function ?? '', nth: d.nth }];
  }
  return [{ release, scenario, request: 1 }];
}
