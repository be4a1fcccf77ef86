import { ComponentChildren, Fragment, h } from 'preact';
import { useState } from 'preact/hooks';
import { Api, Call, CallList, Details, FoundLine, Hit, HitList, Place, Reading, Recording, ReleasedName, Scenario, recordingPath, requestPath } from './api.ts';
import { useAsking, useLatest, usePage } from './context.ts';
import { gateAddress } from './gate.tsx';
import { CallName, firstView, functionAddress, recordingAddress, requestAddress, write } from './link.ts';
import { searchWords } from './search-words.ts';
import { exerciseAddress, lessonAddress } from './workshop.tsx';
import { thousands } from './words.ts';

// examples are texts to search for, shown before the first search.
const examples = ['store.Get', 'forbidden', 'flow_schema', 'kubectl delete pods'];

// part is the number of hits that are shown at first, and fewPlaces the number of a hit's
// scenarios. mostHits is the maximum number of hits in an answer of the API. fewHere is
// the number of functions of this recording that are shown. mostHere is the maximum
// number of its matching calls that are loaded.
const part = 30, fewPlaces = 12, mostHits = 2000, fewHere = 8, mostHere = 2000;

// Search is the page of a search: #/search?text=TEXT.
export function Search() {
  const { words, address } = usePage();
  const text = address.query.text ?? '';
  if (!text) return <div class="found"><h1>{words.searchPage}</h1><p class="quiet">{words.searchHelp}</p><Examples /></div>;
  return <Results text={text} />;
}

// Examples links to searches for examples.
const Examples = () => <p class="examples">{examples.map((e) => <a class="link" href={write({ parts: ['search'], query: { text: e } })}>{e}</a>)}</p>;

// Results lists the hits of a text: the function of a line, hits in this recording, scenarios,
// layers and pages, and then functions, values and errors of all recordings. The old hits stay
// until the next ones are loaded. The palette shows them over another view. A line is one of
// the release that was shown last.
export function Results({ text, palette }: { text: string; palette?: boolean }) {
  const { api, lang, words, goTo, last, problem, releases, scenarios } = usePage();
  const [got, setGot] = useState<{ text: string; list: HitList } | null>(null);
  const [more, setMore] = useState({ text, most: part });
  const most = more.text === text ? more.most : part;
  const open = useOpen();
  const { release } = last.place, released = release === 'latest' || releases.some((r) => r.k8sVersion === release);
  useAsking(() => {
    let left = false;
    problem(null);
    api.get<HitList>('/search', { text, limit: most, lang, ...(lineOf(text) && released && release !== 'latest' ? { release } : {}) }).then((list) => left || setGot({ text, list }), (e) => left || problem(e));
    return () => { left = true; };
  }, [text, most, lang]);
  const linesHere = released ? got?.list.lines : undefined, here = useHere(got?.text ?? '', linesHere);
  if (!got) return <p class="quiet loading">{words.loading}</p>;
  const { items: hits, total } = got.list;
  const among = scenariosWith(got.text, scenarios), reading = got.list.reading ?? [], lines = got.list.lines ?? [];
  const count = total + lines.length + among.length + reading.length || here.length; // most hits of this recording are hits of all recordings, too
  const Title = palette ? 'p' : 'h1'; // the view below the palette has the h1
  const list = (of: Hit[]) => of.length > 0 && <ul>{of.map((hit) => <Found key={hit.kind + hit.text} hit={hit} text={got.text} onOpen={open} />)}</ul>;
  const behind = hits.filter((hit) => hit.behind);
  return (
    <div class={'found' + (got.text === text ? '' : ' before')} aria-busy={got.text !== text}>
      <div role="status"><Title>{words.found(thousands(count), got.text)}</Title></div>
      {lines.length > 0 && <Lines of={lines} />}
      {here.length > 0 && <Here text={got.text} functions={here} lines={linesHere} />}
      {among.length > 0 && <Scenarios of={among} text={got.text} />}
      {reading.length > 0 && <ToRead of={reading} text={got.text} />}
      {count === 0 && !got.list.names && <Fragment>
        <p class="quiet">{words.foundNone} {words.searchHelp}</p>
        <Examples />
      </Fragment>}
      {list(hits.filter((hit) => !hit.behind))}
      {behind.length > 0 && <h2>{words.foundBehind}</h2>}
      {list(behind)}
      {hits.length < total && most < mostHits && <button class="more" onClick={() => setMore({ text, most: Math.min(mostHits, most * 4) })}>{words.more(thousands(total - hits.length))}</button>}
      {hits.length < total && most >= mostHits && <p class="quiet">{words.foundTooMany(thousands(hits.length))}</p>}
      {got.list.names && <Names of={got.list.names} />}
    </div>
  );
}

// useOpen returns a function that opens the first call with a hit in a recording.
export function useOpen() {
  const { api, goTo, problem } = usePage();
  const begin = useLatest();
  return (hit: Hit, release: string, scenario: string) => {
    const wanted = begin();
    locate(api, hit, release, scenario).then(([place, call]) => { if (wanted()) goTo(requestAddress({ place, view: firstView, call, more: {} })); }, (e) => { if (wanted()) problem(e); });
  };
}

// Lines lists the functions of a line. They lead to their pages.
function Lines({ of }: { of: FoundLine[] }) {
  const { lang } = usePage();
  return (
    <section class="of-line">
      <h2>{searchWords[lang].lines}</h2>
      <ul>{of.map((l) => <li key={l.file}><a class="link" href={functionAddress(l.function, l.k8sVersion)}>{l.short}</a> <span class="quiet">{l.text}</span></li>)}</ul>
    </section>
  );
}

// lineOf divides a text such as "rbac.go:67", as trace/search does. It returns null for others.
function lineOf(text: string): { file: string; number: number } | null {
  const [, file, number] = /^([^\s:]+\.go):([1-9][0-9]{0,5})$/.exec(text) ?? [];
  return file ? { file, number: Number(number) } : null;
}

// useHere returns the functions with matching calls in the request that was shown last. Key
// steps come first, then names with a word that begins with the text. For a line, it
// returns the functions of lines or, without a server, those that begin last before the line.
function useHere(text: string, lines?: FoundLine[]): Call[] {
  const { api, last } = usePage();
  const [found, setFound] = useState<{ text: string; list: CallList } | null>(null);
  const path = requestPath(last.place), line = lineOf(text);
  const asked = line ? line.file.slice(line.file.lastIndexOf('/') + 1) + ':' : text;
  useAsking(() => {
    if (!text) return;
    let left = false;
    api.get<CallList>(path + '/calls', { text: asked, callers: 'none', limit: mostHere }).then((list) => left || setFound({ text, list }), () => left || setFound(null)); // the recording may be gone
    return () => { left = true; };
  }, [path, text]);
  if (!found || found.text !== text) return [];
  const { items, total } = found.list;
  const word = new RegExp(`(^|[^a-z])${text.replace(/[^\w]/g, '\\$&')}`, 'i');
  const rank = (c: Call) => (c.key ? 0 : 2) + (word.test(c.name) ? 0 : 1);
  const functions = [...new Map([...items].reverse().map((c) => [c.function, c])).values()].reverse().sort((a, b) => rank(a) - rank(b) || a.index - b.index);
  if (!line) return functions;
  if (lines) return functions.filter((c) => lines.some((l) => l.function === c.function));
  const nearest = new Map<string, Call>();
  for (const c of functions) {
    const known = nearest.get(c.file);
    if (!`/${c.file}`.endsWith('/' + line.file) || c.line > line.number || total > items.length && c.line < line.number) continue;
    if (!known || known.line < c.line) nearest.set(c.file, c);
  }
  return [...nearest.values()];
}

// Here lists functions of the request that was shown last. They lead to their first matching
// calls. lines are the lines that the server has found for the text.
function Here({ text, functions, lines }: { text: string; functions: Call[]; lines?: FoundLine[] }) {
  const { api, lang, words, goTo, last, problem } = usePage();
  const path = requestPath(last.place), line = lineOf(text);
  const begin = useLatest();
  const open = (c: Call) => {
    const wanted = begin();
    api.get<Details>(`${path}/calls/${c.index}`).then((d) => {
      if (wanted()) goTo(requestAddress({ place: last.place, view: last.view, call: { function: c.function, caller: d.stack[0]?.function ?? '', nth: d.nth }, more: {} }));
    }, (e) => { if (wanted()) problem(e); });
  };
  return (
    <section class="here">
      <h2>{words.foundHere(last.place.scenario)}</h2>
      <ul>{functions.slice(0, fewHere).map((c) => <li key={c.function}><button class="link" onClick={() => open(c)}><span class="name"><Marked text={c.name} part={text} /></span> <span class="place"><Marked text={c.place} part={text} /></span></button>{line && !lines && c.line < line.number && <span class="quiet"> {searchWords[lang].lastBefore(line.number)}</span>}</li>)}</ul>
      {functions.length > fewHere && <p><a href={write(requestAddress({ place: last.place, view: 'calls', more: { text } }))}>{words.foundHereAll(thousands(functions.length))}</a></p>}
    </section>
  );
}

// Marked marks the first match of a part in a text or, if the text lacks it, of each word of
// the part.
function Marked({ text, part }: { text: string; part: string }) {
  const has = (wanted: string) => text.toLowerCase().indexOf(wanted.toLowerCase());
  const parts = has(part) >= 0 ? [part] : part.split(/\s+/);
  const marks = parts.filter((p) => p !== '').map((p) => [has(p), p.length]).filter(([at]) => at >= 0).sort((a, b) => a[0] - b[0]);
  let from = 0;
  return <Fragment>{marks.filter(([at]) => at >= from).map(([at, length]) => {
    const before = text.slice(from, at);
    from = at + length;
    return <Fragment>{before}<mark>{text.slice(at, from)}</mark></Fragment>;
  })}{text.slice(from)}</Fragment>;
}

// around returns the short form of a text or, if that lacks the part that was searched for, the
// piece of the text around it.
function around({ text, short }: Hit, part: string): string {
  const at = text.toLowerCase().indexOf(part.toLowerCase());
  if (at < 0 || short.toLowerCase().includes(part.toLowerCase())) return short;
  const from = Math.max(0, at - 40), to = Math.min(text.length, at + part.length + 80);
  return (from > 0 ? '…' : '') + text.slice(from, to) + (to < text.length ? '…' : '');
}

// wordsOf returns the words of a text to search for. It also understands commands such as
// "kubectl delete pods".
export function wordsOf(text: string): string[] {
  return text.toLowerCase().split(/\s+/).filter((w) => w !== '' && w !== 'kubectl').map((w) => (w.length > 3 ? w.replace(/s$/, '') : w));
}

// scenariosWith returns the scenarios that have every word of a text in their names,
// descriptions or requests.
function scenariosWith(text: string, scenarios: Scenario[]): Scenario[] {
  const wanted = wordsOf(text);
  return wanted.length === 0 ? [] : scenarios.filter((s) => {
    const all = `${s.name} ${s.title} ${s.description} ${s.sends.join(' ')}`.toLowerCase();
    return wanted.every((w) => all.includes(w));
  });
}

// Scenarios lists scenarios. Each has a link to its newest recording. If its name and title lack
// the text, its first request with the text follows.
function Scenarios({ of, text }: { of: Scenario[]; text: string }) {
  const sent = (s: Scenario) => `${s.name} ${s.title}`.toLowerCase().includes(text.toLowerCase()) ? undefined : s.sends.find((r) => wordsOf(text).every((w) => r.toLowerCase().includes(w)));
  const { words } = usePage();
  return (
    <section>
      <h2>{words.foundScenarios}</h2>
      <ul class="scenarios">{of.map((s) => <li key={s.name}><a class="link" href={write(recordingAddress(s))}>{s.name}</a> {s.title !== s.name && s.title}{sent(s) && <span class="quiet"> {sent(s)}</span>}</li>)}</ul>
    </section>
  );
}

// fewToRead is the number of pages of each kind that are shown at first.
const fewToRead = 2;

// ToRead lists layers, feature gates, lessons, exercises and documents. A layer leads to
// its functions in the guide. A document has no page of its own.
function ToRead({ of, text }: { of: Reading[]; text: string }) {
  const { words } = usePage();
  const [all, setAll] = useState(false);
  const shown = all ? of : of.filter((r, i) => of.slice(0, i).filter((s) => s.kind === r.kind).length < fewToRead);
  const to = (r: Reading) => r.kind === 'layer' ? write({ parts: ['guide'], query: { layer: r.name } }) : r.kind === 'gate' ? gateAddress(r.name) : r.kind === 'lesson' ? lessonAddress(r.name) : r.kind === 'exercise' ? exerciseAddress(r.name, '') : '';
  return (
    <section class="to-read">
      <h2>{words.foundReading}</h2>
      <ul>
        {shown.map((r) => (
          <li key={r.kind + r.name}>
            <span class="kind">{words.readingKinds[r.kind]}</span> {to(r) ? <a class="link" href={to(r)}><Marked text={r.title} part={text} /></a> : <b><Marked text={r.title} part={text} /></b>}
            {r.kind === 'document' && <span class="quiet"> {r.name}</span>}
            {r.text && <span class="quiet"> {r.text}</span>}
          </li>
        ))}
      </ul>
      {shown.length < of.length && <button class="link" onClick={() => setAll(true)}>{words.more(thousands(of.length - shown.length))}</button>}
    </section>
  );
}

// Names lists functions and types of released sources. A renamed function or type has a
// link to a search for its new name. With a server, a type has a link to its source.
function Names({ of }: { of: ReleasedName[] }) {
  const { api, words, goTo } = usePage();
  return (
    <section>
      <h2>{words.foundNames}</h2>
      <ul>
        {of.map((n) => (
          <li key={n.kind + n.name}>
            <p><span class="kind">{n.kind === 'type' ? words.kindType : words.kinds.function}</span> {n.kind === 'type' && n.release && api.live
              ? <a class="text" href={write({ parts: ['type'], query: { name: n.name, release: n.release } })}>{n.name}</a>
              : n.kind === 'function' && n.release && api.live ? <a class="text" href={functionAddress(n.name, n.release)}>{n.name}</a>
              : <span class="text">{n.name}</span>}</p>
            <p class="places">{n.fate}{n.now && <button class="link" onClick={() => goTo({ parts: ['search'], query: { text: n.now! } })}>{n.now}</button>}</p>
          </li>
        ))}
      </ul>
    </section>
  );
}

// Found shows a hit with the scenarios that have it, and more between the two. Each scenario
// has a link to its newest release with the hit.
export function Found({ hit, text, onOpen, more }: { hit: Hit; text: string; onOpen: (hit: Hit, release: string, scenario: string) => void; more?: ComponentChildren }) {
  const { words, releases } = usePage();
  const [all, setAll] = useState(false);
  const left = all ? 0 : hit.places.length - fewPlaces;
  // The name of a function leads to its page, in the newest release that calls it. A click on another text opens the request
  // that a learner knows first; the text can also be selected and copied.
  const newest = releases.find((r) => hit.places.some((p) => p.releases.includes(r.k8sVersion)))?.k8sVersion;
  const nearest = hit.places.find((p) => p.scenario === 'get-node') ?? hit.places[0];
  return (
    <li>
      <p><span class="kind">{words.kinds[hit.kind]}</span> {hit.kind === 'function' ? <a class="text" href={functionAddress(hit.text, newest)}><Marked text={hit.text} part={text} /></a> : <span class="text" onClick={() => { if (nearest && getSelection()?.isCollapsed) onOpen(hit, nearest.releases[0], nearest.scenario); }}><Marked text={around(hit, text)} part={text} /></span>}</p>
      {more}
      <p class="places">
        {hit.places.slice(0, left > 0 ? fewPlaces : undefined).map((p) => (
          <button class="link" title={p.releases.join(', ')} onClick={() => onOpen(hit, p.releases[0], p.scenario)}>{p.scenario} <span class="quiet">{p.releases.length > 1 ? `${p.releases.at(-1)} – ${p.releases[0]}` : p.releases[0]}</span></button>
        ))}
        {left > 0 && <button class="link all-places" onClick={() => setAll(true)}>{words.scenariosMore(left)}</button>}
      </p>
    </li>
  );
}

// locate returns the request and the first call with the hit in a recording.
export async function locate(api: Api, hit: Hit, release: string, scenario: string): Promise<[Place, CallName?]> {
  const text = hit.kind === 'value' ? hit.text.slice(hit.text.indexOf('=') + 1) : hit.text;
  const recording = await api.get<Recording>(recordingPath({ release, scenario, request: 1 }));
  for (const r of recording.requests) {
    const place = { release, scenario, request: r.number };
    const path = requestPath(place);
    let index = -1;
    if (hit.kind === 'function') index = (await api.get<{ index: number }>(path + '/find', { function: hit.text })).index;
    else if (text !== '') index = (await api.get<CallList>(path + '/calls', { text, callers: 'none', limit: 1 })).items[0]?.index ?? -1;
    if (index < 0) continue;
    const d = await api.get<Details>(`${path}/calls/${index}`);
    return [place, { function: d.call.function, caller: d.stack[0]?.function ?? '', nth: d.nth }];
  }
  return [{ release, scenario, request: 1 }];
}
