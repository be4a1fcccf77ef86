import { h } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Api, CallList, Details, Hit, HitList, Place, Recording, recordingPath, requestPath } from './api.ts';
import { useLatest, usePage } from './context.ts';
import { CallName, firstView, requestAddress } from './link.ts';
import { thousands } from './words.ts';

const part = 30;

// Search lists what recordings have a text: functions, values, errors. Its address is #/search?text=TEXT.
export function Search() {
  const { api, lang, words, address, goTo, problem } = usePage();
  const text = address.query.text ?? '';
  const [got, setGot] = useState<{ text: string; list: HitList } | null>(null);
  const [more, setMore] = useState({ text, most: part });
  const most = more.text === text ? more.most : part;
  const begin = useLatest();
  useEffect(() => {
    let left = false;
    problem(null);
    api.get<HitList>('/search', { text, limit: most }).then((list) => left || setGot({ text, list }), (e) => left || problem(e));
    return () => { left = true; };
  }, [text, most, lang]);
  if (got?.text !== text) return <p class="quiet loading">{words.loading}</p>;
  const { items: hits, total } = got.list;
  const open = (hit: Hit, release: string, scenario: string) => {
    const wanted = begin();
    locate(api, hit, release, scenario).then(([place, call]) => { if (wanted()) goTo(requestAddress({ place, view: firstView, call, more: {} })); }, (e) => { if (wanted()) problem(e); });
  };
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
      {hits.length < total && <button onClick={() => setMore({ text, most: Math.min(2000, most * 4) })}>{words.more(thousands(total - hits.length))}</button>}
    </div>
  );
}

// locate finds the first call of a recording that has what was found.
async function locate(api: Api, hit: Hit, release: string, scenario: string): Promise<[Place, CallName?]> {
  const text = hit.kind === 'value' ? hit.text.slice(hit.text.indexOf('=') + 1) : hit.text;
  const recording = await api.get<Recording>(recordingPath({ release, scenario, request: 1 }));
  for (const r of recording.requests) {
    const place = { release, scenario, request: r.number };
    const path = requestPath(place);
    let index = -1;
    if (hit.kind === 'function') index = (await api.get<{ index: number }>(path + '/find', { function: hit.text })).index;
    else if (text !== '') index = (await api.get<CallList>(path + '/calls', { text, limit: 1 })).items[0]?.index ?? -1;
    if (index < 0) continue;
    const d = await api.get<Details>(`${path}/calls/${index}`);
    return [place, { function: d.call.function, caller: d.stack[0]?.function ?? '', nth: d.nth }];
  }
  return [{ release, scenario, request: 1 }];
}
