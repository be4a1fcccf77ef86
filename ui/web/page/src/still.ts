// The page's data without a server. "apitrace show -o html" writes the data into
// its file, and "apitrace site" writes them beside the page (ui/web/still.go).
// The API's answers are stored unchanged, except sources: a text that many
// recordings share is stored once.

import { answering, keep, Query, raise } from './answers.ts';
import { Api, Comparisons, Problem, Recording, Source, View } from './api.ts';
import { Calls, CallTable } from './calls.ts';
import { DiffTree, SourceDiff, SourceSide } from './compare-data.ts';
import { FunctionFacts } from './function-data.ts';
import { factsOf, historyOf, One, placesOf } from './still-function.ts';
import { search, SearchPiece } from './still-search.ts';
import { Lang, pageWords } from './words.ts';

// Load returns a piece, null if there is no such piece.
export type Load = (key: string) => Promise<unknown>;

type Answers = Record<string, unknown>;
export interface LibraryPiece {
  first: { release: string; scenario: string; request: number };
  pages: string[]; start?: string; comparisons?: Comparisons; apitrace: string; answers: Answers;
}
interface RecordingPiece { answers: Answers; sources: string }
interface Found { of: string[]; first: number; text: number; spanless?: { line: number; function: string; name: string }[]; notice?: number; missing?: string }
interface SourcePiece { programs: Record<string, string>; texts: Source['lines'][0]['tokens'][][]; functions: Record<string, Found[]> }
// A TreesPiece has the answers of the API for each pair of requests, by choice of changes.
interface TreesPiece { requests: Record<string, DiffTree>[] }
// A ComparedCalls has three numbers for each call in the trees of a pair of
// requests: the index of its function in functions or -1 for none, the line of the
// call, and 1 if the line is on side B.
interface ComparedCalls { sources: [string, string]; functions: { a: SourceSide; b: SourceSide; process: [string, string]; compare?: string }[]; requests: Record<string, [number, number, number]>[] }
// The first key is the function of side B, the second the function of side A.
type HunksPiece = Record<string, Record<string, Pick<SourceDiff, 'same' | 'hunks' | 'missing'> & { absent?: string }>>;
interface NoticePiece { texts: string[]; licences: Record<string, Record<string, number>> }

// still returns an Api that reads the pieces from load. It keeps
// the most recently used pieces.
export function still(load: Load, library: LibraryPiece): Api {
  const kept = new Map<string, Promise<unknown>>();
  const piece = async <T,>(key: string) => (await load(key) ?? raise(notHere(key))) as T;
  const take = <T,>(key: string) => keep(kept, key, 40, () => piece<T>(key));
  const listed = (library.answers['/releases'] as { items: { k8sVersion: string; scenarios: string[] }[] }).items, releases = listed.map((r) => r.k8sVersion);
  const resolve = (release: string) => {
    if (release === 'latest') return releases[0];
    const full = release.startsWith('v') ? release : 'v' + release;
    return releases.find((r) => r === full) ?? releases.find((r) => r.startsWith(full + '.')) ?? release;
  };
  // keyOf returns the key of the recording in a path, and the rest of the path after the
  // recording. It returns null for other paths.
  const keyOf = (path: string) => {
    const [, release, scenario, rest] = /^\/releases\/([^/]+)\/scenarios\/([^/]+)(.*)$/.exec(path) ?? [];
    return scenario === undefined ? null : { key: `${resolve(decodeURIComponent(release))}/${decodeURIComponent(scenario)}`, rest };
  };
  async function answer(path: string, query: Query): Promise<unknown> {
    const parts = path.split('/').slice(1).map(decodeURIComponent);
    const lang = (query.lang ?? 'en') as Lang;
    const number = (name: string, otherwise: number) => Number(query[name] ?? otherwise);
    const text = (name: string) => String(query[name] ?? '');
    const asIs = library.answers[path + write(query)] ?? library.answers[`${path}?lang=${lang}`];
    if (asIs) return asIs;
    if (parts[0] === 'search') return search(await take<SearchPiece>('search'), text('text'), number('from', 0), number('limit', 200));
    if (parts[0] === 'releases' && parts[2] === 'function' && parts.length === 3) return functionFacts(resolve(parts[1]), text('function'), lang);
    if (path === '/history/function') return historyOf(text('function'), '', placesOf(await take<SearchPiece>('search'), text('function')), listed, lang);
    if (parts[0] === 'diff' || parts[0] === 'compare') return compared(parts, query, lang);
    const of = keyOf(path), found = of && (await take<RecordingPiece>('recording/' + of.key)).answers[of.rest + write({ ...query, lang })];
    return found ?? other(path, query);
  }

  // functionFacts takes the facts about a function from a recording that calls it: the
  // one that the page shows first, or else the first one.
  async function functionFacts(release: string, name: string, lang: Lang): Promise<FunctionFacts> {
    const scenarios = placesOf(await take<SearchPiece>('search'), name).filter((p) => p.releases.includes(release)).map((p) => p.scenario);
    const scenario = scenarios.find((s) => s === library.first.scenario) ?? scenarios[0];
    if (!scenario) throw notHere(name);
    const { answers } = await take<RecordingPiece>(`recording/${release}/${scenario}`), path = `/releases/${encodeURIComponent(release)}/scenarios/${encodeURIComponent(scenario)}`;
    const of: One[] = [];
    for (const request of (answers[write({ lang })] as Recording).requests) {
      const below = `/requests/${request.number}`;
      of.push({ request, path: path + below, calls: new Calls(await piece<CallTable>(`calls/${release}/${scenario}/${request.number}`)), view: answers[`${below}/view${write({ lang })}`] as View });
    }
    return factsOf(name, release, listed.find((r) => r.k8sVersion === release)!.scenarios.length, scenario, scenarios, of, lang) ?? raise(notHere(name));
  }

  // compared answers the questions about a comparison.
  async function compared([kind, what]: string[], query: Query, lang: Lang): Promise<unknown> {
    const text = (name: string) => String(query[name] ?? '');
    const key = kind === 'diff' ? `diff/${text('scenario')}/${resolve(text('from'))}/${resolve(text('to'))}` : `compare/${resolve(text('release'))}/${text('from')}/${text('to')}`;
    const request = Number(query.request ?? 1) - 1;
    if (what === 'tree') {
      const { requests } = await take<TreesPiece>(`${key}/${lang}`), layer = text('layer');
      return requests[request]?.[layer ? 'all/' + layer : (text('show') || 'telling') + '/'] ?? raise(notHere(layer || key));
    }
    const { sources, functions, requests } = await take<ComparedCalls>(`${key}/calls`);
    const [number, line, side] = (what === 'source' && requests[request]?.[text('call')]) || raise(notHere(key)), onB = side === 1;
    if (!functions[number]) return { same: false, hunks: [], hunk: -1, line: 0, onB: false, missing: pageWords().comparison.noCaller };
    const { process: [, process], ...changed } = functions[number], { file, function: name } = changed.b;
    const { absent, ...hunks } = (await take<HunksPiece>(`hunks/${sources.join('/')}/${process}/${folderOf(file)}`))[name][changed.a.function];
    const hunk = hunks.hunks.findIndex((h) => (onB ? line >= h.fromB && line < h.fromB + h.countB : line >= h.fromA && line < h.fromA + h.countA));
    const out: SourceDiff = { ...changed, ...hunks, hunk, line, onB };
    if (absent) out.missing = pageWords().noSourceHere(absent);
    return hunks.hunks.length > 0 ? { ...out, ...await rights(sources[1], process, file, (await textOf(sources[1], process, file, name)).found) } : out;
  }

  // other returns an answer that is stored unchanged. A piece has all answers to a path,
  // or to a path with one scenario.
  async function other(path: string, query: Query): Promise<unknown> {
    path = path.replace(/^\/releases\/([^/]+)/, (_, release) => '/releases/' + resolve(release));
    const { answers } = await take<Pick<RecordingPiece, 'answers'>>('answers' + path + (query.scenario ? '/' + query.scenario : ''));
    const found = answers[path + write(query)];
    if (!found) throw notHere(path);
    return found;
  }

  // textOf finds a function in the sources that a key names.
  async function textOf(key: string, process: string, file: string, name: string) {
    const piece = await take<SourcePiece>(`source/${process}/${folderOf(file)}`);
    const found = piece.functions[name]?.find((f) => f.of.includes(key));
    const text = found && !found.missing ? piece.texts[found.text] : [];
    return { program: piece.programs[key] ?? process, found, lines: text.map((tokens, n) => ({ number: found!.first + n, tokens })) };
  }

  // rights returns the copyright notice and the licence of a text.
  async function rights(key: string, process: string, file: string, found?: Found): Promise<Pick<Source, 'notice' | 'licence'>> {
    const notices = await take<NoticePiece>(`notices/${process}`), licences = notices.licences[key] ?? {};
    const out: Pick<Source, 'notice' | 'licence'> = found?.notice ? { notice: notices.texts[found.notice] } : {};
    for (let folder = file; folder.includes('/');) {
      folder = folder.slice(0, folder.lastIndexOf('/'));
      if (folder in licences) return { ...out, licence: { of: folder, text: notices.texts[licences[folder]] } };
    }
    return out;
  }

  async function source(path: string, calls: Promise<Calls>, call: number): Promise<Source> {
    const { sources: key } = await take<RecordingPiece>('recording/' + keyOf(path)!.key), table = await calls;
    if (call >= table.total) throw notHere(path);
    const s = table.same(call);
    const out: Source = { function: s.function, file: s.file, line: s.line, program: s.process, lines: [], marks: [] };
    if (s.url) out.url = s.url;
    const none = () => ({ ...out, missing: pageWords().noSourceHere(out.program), action: '' });
    if (!s.file) return none();
    const { program, found, lines } = await textOf(key, s.process, s.file, s.function);
    out.program = program;
    if (!found || found.missing === 'absent') return none();
    if (found.missing) return { ...out, missing: found.missing, action: '' };
    out.lines = lines;
    out.marks = (found.spanless ?? []).map((m) => ({ ...m, count: 0, calls: [], noSpan: true }));
    return { ...out, ...await rights(key, s.process, s.file, found) };
  }

  return {
    live: false,
    pages: library.pages,
    start: library.start,
    comparisons: library.comparisons ?? 'none',
    get: answering({ calls: (request) => piece<CallTable>('calls/' + keyOf(request)!.key + keyOf(request)!.rest.slice('/requests'.length)), source, answer, missing: notHere }),
    forget() {},
  };
}

const write = (query: Query) => {
  const q = new URLSearchParams(Object.entries(query).map(([k, v]): [string, string] => [k, String(v)]).sort(([a], [b]) => (a < b ? -1 : 1)));
  return q.size ? '?' + q : '';
};

const notHere = (what: string) => new Problem(404, pageWords().notHere(what), pageWords().notHereAction);
const folderOf = (file: string) => file.slice(0, file.lastIndexOf('/'));

// unpack reads JSON that may be compressed with gzip. Some servers decompress it before
// they send it.
export async function unpack(data: Uint8Array<ArrayBuffer>): Promise<unknown> {
  const stream = new Blob([data]).stream();
  const plain = data[0] === 0x1f && data[1] === 0x8b ? stream.pipeThrough(new DecompressionStream('gzip')) : stream;
  return new Response(plain).json();
}

// fileData returns the data in a file, null if the page is not such a file.
export async function fileData(): Promise<Record<string, unknown> | null> {
  const element = document.getElementById('data');
  if (!element) return null;
  const text = atob(element.textContent!.trim()), bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  element.remove();
  return await unpack(bytes) as Record<string, unknown>;
}

// siteData loads a piece of the site that the page belongs to.
export async function siteData(key: string): Promise<unknown> {
  const response = await fetch(`data/${key.split('/').map(encodeURIComponent).join('/')}.gz`);
  if (response.status === 404) return null;
  if (!response.ok) throw new Problem(response.status, response.statusText, '');
  return unpack(new Uint8Array(await response.arrayBuffer()));
}
