import { Fragment, h } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Evidence } from './compare.tsx';
import { bare, compareWords, shown, signOf } from './compare-words.ts';
import { Brief, History, HistoryStep, pairingAddress } from './compare-data.ts';
import { useAsking, usePage } from './context.ts';
import { firstView, requestAddress, write } from './link.ts';
import { ScenarioOptions } from './scenario-options.tsx';
import { thousands } from './words.ts';

// slow is the scenario that takes seconds to compare: the start of a server.
const slow = 'boot';

// Matrix shows a scenario in all releases (#/releases?scenario=S), or all scenarios
// (#/releases). A narrow screen shows all scenarios of one release at a time
// (#/releases?release=R).
export function Matrix() {
  const { lang, words: common, address, goTo, scenarios } = usePage();
  const words = compareWords[lang];
  const scenario = address.query.scenario ?? '';
  return (
    <div class="matrix">
      <p class="controls">
        <select aria-label={words.scenario} value={scenario} onChange={(e) => goTo({ parts: ['releases'], query: e.currentTarget.value ? { scenario: e.currentTarget.value } : {} })}>
          <option value="" selected={!scenario}>{words.allScenarios}</option>
          <ScenarioOptions of={scenarios.filter((s) => s.releases.length > 1)} value={scenario} />
        </select>
      </p>
      {scenario ? <OneScenario key={scenario + lang} scenario={scenario} /> : scenarios.length > 0 ? <Overview key={lang} /> : <p class="quiet loading">{common.loading}</p>}
    </div>
  );
}

const marked = (c: Brief, sign: string) => c.marks.filter((m) => bare(m.mark) === sign);
const others = (c: Brief) => c.marks.filter((m) => !['+', '-'].includes(bare(m.mark)));
const link = (scenario: string, s: HistoryStep) => write(pairingAddress({ scenarios: false, common: scenario, from: s.since!, to: s.k8sVersion }));

// recording returns the address of the first request of a recording.
const recording = (scenario: string, release: string) => write(requestAddress({ place: { release, scenario, request: 1 }, view: firstView, more: {} }));

function OneScenario({ scenario }: { scenario: string }) {
  const { api, lang, words: common, problem } = usePage();
  const words = compareWords[lang];
  const [history, setHistory] = useState<History | null>(null);
  useAsking(() => {
    let left = false;
    problem(null);
    api.get<History>('/history', { scenario, lang }).then((h) => left || setHistory(h), (e) => left || problem(e));
    return () => { left = true; };
  }, [scenario, lang]);
  if (!history) return <p class="quiet loading">{common.loading}</p>;
  const most = Math.max(...history.releases.map((r) => r.calls));
  return (
    <Fragment>
      <h1>{words.historyOf}{words.colon}{history.title}</h1>
      <div class="wide-table" tabIndex={0} role="region" aria-label={words.historyOf}>
        <table class="releases">
          <thead><tr><th scope="col">{words.release}</th><th scope="col">{words.calls}</th><th scope="col">{words.came}</th><th scope="col">{words.went}</th><th scope="col">{words.others}</th></tr></thead>
          <tbody>
            {[...history.releases].reverse().map((s) => (
              <Fragment key={s.k8sVersion}>
                <tr class={s.recorded ? '' : 'missing'}>
                  <th scope="row">{s.since ? <a href={link(scenario, s)} title={words.compareWith(s.since, s.k8sVersion)}>{s.k8sVersion}</a>
                    : s.recorded ? <a href={recording(scenario, s.k8sVersion)} title={words.openRecording(scenario, s.k8sVersion)}>{s.k8sVersion}</a> : s.k8sVersion}</th>
                  {!s.recorded ? <td colSpan={4}>{words.notRecorded}{s.why ? words.colon + s.why : ''}</td> : <Fragment>
                    <td class="count-of"><span class="bar" aria-hidden="true" style={{ width: `${Math.round(100 * s.calls / most)}%` }} /><a href={recording(scenario, s.k8sVersion)} title={words.openRecording(scenario, s.k8sVersion)}>{thousands(s.calls)}</a></td>
                    {!s.changes ? <td colSpan={3} class="quiet">{words.firstRelease}</td> : s.changes.same ? <td colSpan={3} class="quiet">{words.noChange}</td> : <Fragment>
                      <td class="plus">{marked(s.changes, '+').map((m) => <Names of={m.names} mark={m.mark} />)}</td>
                      <td class="minus">{marked(s.changes, '-').map((m) => <Names of={m.names} mark={m.mark} />)}</td>
                      <td>{others(s.changes).map((m) => <Names of={m.names} mark={m.mark} />)}{s.changes.smaller > 0 && <span class="quiet">{words.change(thousands(s.changes.smaller))}</span>}</td>
                    </Fragment>}
                  </Fragment>}
                </tr>
                {s.changes && s.changes.told.length > 0 && (
                  <tr class="told"><td colSpan={5}><details><summary>{s.since} → {s.k8sVersion}{words.colon}{words.sentences}</summary>
                    <dl>{s.changes.told.map((t) => <div style={t.colour ? { '--layer': t.colour } as Record<string, string> : {}}><dt class="layer">{t.title}</dt>{t.sentences.map((x) => <dd>{x.text}<Evidence of={x.evidence} /></dd>)}</div>)}</dl>
                    <p><a href={link(scenario, s)}>{words.compareWith(s.since!, s.k8sVersion)}</a></p>
                  </details></td></tr>
                )}
              </Fragment>
            ))}
          </tbody>
        </table>
      </div>
      <Legend marks={history.releases.flatMap((r) => r.changes?.marks.map((m) => m.mark) ?? [])} />
    </Fragment>
  );
}

// Legend explains the signs in a history.
function Legend({ marks }: { marks: string[] }) {
  const { lang } = usePage();
  const words = compareWords[lang];
  const known = Object.keys(words.signs).filter((s) => marks.some((m) => bare(m) === s));
  if (known.length === 0) return null;
  return (
    <p class="facts legend">{known.map((s) => <span><b>{shown(s)}</b> {words.signs[s]}</span>)}
      {marks.some((m) => m !== bare(m)) && <span><b>{words.brackets}</b> {words.bracketed}</span>}</p>
  );
}

// A name stays beside its sign, even if it needs more than one line.
function Names({ of, mark }: { of: string[]; mark: string }) {
  const { lang } = usePage();
  const most = 6;
  if (of.length === 0) return null;
  return <Fragment>{of.slice(0, most).map((n) => <span class="name-of"><b {...signOf(mark, lang)}>{shown(mark)}</b>{'\u00a0'}{n}</span>)}{of.length > most && <span class="name-of quiet">… {thousands(of.length - most)}</span>}</Fragment>;
}

// useNarrow reports whether the screen is too narrow for all releases side by side.
function useNarrow(): boolean {
  const [query] = useState(() => matchMedia('(max-width: 640px)'));
  const [narrow, setNarrow] = useState(query.matches);
  useEffect(() => {
    const changed = () => setNarrow(query.matches);
    query.addEventListener('change', changed);
    return () => query.removeEventListener('change', changed);
  }, []);
  return narrow;
}

// Overview has a row for each scenario. It loads the rows one after another.
// Comparing the scenario boot takes a server seconds, so this row is loaded only
// when the reader asks for it.
function Overview() {
  const { api, lang, scenarios, releases, address, goTo, problem } = usePage();
  const words = compareWords[lang];
  const all = releases.map((r) => r.k8sVersion);
  const narrow = useNarrow();
  const chosen = all.includes(address.query.release) ? address.query.release : all[0];
  const columns = narrow ? [chosen] : all;
  const shown = scenarios.filter((s) => s.releases.length > 1);
  const waits = (name: string) => api.live && name.startsWith(slow);
  const [rows, setRows] = useState<Record<string, History>>({});
  const [asked, setAsked] = useState(false);
  const done = shown.filter((s) => rows[s.name] || waits(s.name)).length;
  const load = (name: string) => api.get<History>('/history', { scenario: name, lang }).then((h) => setRows((known) => ({ ...known, [name]: h })));
  useAsking(() => {
    let left = false;
    (async () => { for (const s of shown) { if (left) return; if (!waits(s.name)) await load(s.name); } })().catch((e) => left || problem(e));
    return () => { left = true; };
  }, [lang]);
  return (
    <Fragment>
      <h1>{words.overview}</h1>
      <p class="facts">{words.overviewHelp} {!narrow && words.older}</p>
      {done < shown.length && <p class="facts" role="status">{words.compared(done, shown.length)}</p>}
      {narrow && <p class="controls"><label>{words.release} <select class="release" value={chosen} onChange={(e) => goTo({ parts: ['releases'], query: { release: e.currentTarget.value } }, true)}>
        {all.map((r) => <option value={r} selected={r === chosen}>{r}</option>)}
      </select></label></p>}
      <div class="wide-table" tabIndex={0} role="region" aria-label={words.overview}>
        <table class="overview">
          <thead><tr><th scope="col">{words.scenario}</th>{columns.map((c) => <th scope="col">{c}</th>)}</tr></thead>
          <tbody>
            {shown.map((s) => {
              const row = rows[s.name];
              return (
                <tr key={s.name}>
                  <th scope="row"><a href={write({ parts: ['releases'], query: { scenario: s.name } })} title={s.title}>{s.name}</a></th>
                  {row ? columns.map((c) => <Cell scenario={s.name} step={row.releases.find((r) => r.k8sVersion === c)} />)
                    : <td colSpan={columns.length} class="quiet">{waits(s.name) && !asked ? <button onClick={() => { setAsked(true); shown.filter((x) => waits(x.name)).reduce((p, x) => p.then(() => load(x.name)), Promise.resolve()).catch(problem); }}>{words.load}</button> : waits(s.name) && words.loadingRow}</td>}
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </Fragment>
  );
}

// Cell links to the comparison with the previous release. The cell of the first release
// links to its recording. The cell of a release without a recording links to the reason.
function Cell({ scenario, step: s }: { scenario: string; step?: HistoryStep }) {
  const { lang } = usePage();
  const words = compareWords[lang];
  if (!s?.recorded) return <td class="missing"><a href={write({ parts: ['releases'], query: { scenario } })} title={s?.why ?? words.notRecorded} aria-label={words.notRecorded}>–</a></td>;
  if (!s.changes) return <td><a href={recording(scenario, s.k8sVersion)} title={words.openRecording(scenario, s.k8sVersion)}>{thousands(s.calls)}</a></td>;
  const count = (sign: string) => marked(s.changes!, sign).reduce((n, m) => n + m.names.length, 0);
  const plus = count('+'), minus = count('-'), more = others(s.changes).length;
  return (
    <td class={plus || minus ? 'much' : more ? 'some' : ''} style={{ '--heat': `${Math.min(100, 10 * (plus + minus))}%` }}>
      <a href={link(scenario, s)} title={words.compareWith(s.since!, s.k8sVersion)}>{thousands(s.calls)}
        {plus > 0 && <span class="plus"> +{plus}</span>}{minus > 0 && <span class="minus"> −{minus}</span>}</a>
    </td>
  );
}
