import { Fragment, h } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Place, Scenario } from './api.ts';
import { compareWords } from './compare-words.ts';
import { DiffLayer, DiffSentence, DiffStep, DiffTree, of, Origin, Pairing, pairingAddress, Spot } from './compare-data.ts';
import { useAsking, usePage } from './context.ts';
import { allSteps, diffRows, holds, locate } from './diffrows.ts';
import { MergedTree } from './difftree.tsx';
import { Hunks, NewText } from './hunk.tsx';
import { typing } from './keys.ts';
import { CallName, firstView, functionAddress, parse, requestAddress, write } from './link.ts';
import { ScenarioOptions } from './scenario-options.tsx';
import { thousands } from './words.ts';

// colour returns the style of a layer's colour, as in the tree.
const colour = (c: string) => (c ? { '--layer': c } : {}) as Record<string, string>;

// Compare shows two releases of a scenario, or two scenarios of a release, as one tree
// with marks. Its address is #/compare?scenario=S&from=R&to=R or
// #/compare?release=R&from=S&to=S, with request, show, layer, look and the name of a
// call.
export function Compare() {
  const { api, lang, words: common, address, goTo, problem, notice, releases, scenarios, last } = usePage();
  const words = compareWords[lang];
  const q = api.comparisons === 'one' && !address.query.from ? { ...parse(api.start ?? '').query, ...address.query } : address.query;
  const pairing = pairingOf(q, last.place.scenario, releases.map((r) => r.k8sVersion), (name) => scenarios.find((s) => s.name === name)?.releases);
  const request = Math.max(1, Number.parseInt(q.request ?? '', 10) || 1);
  const [tree, setTree] = useState<DiffTree | null>(null);
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const [focus, setFocus] = useState('s1');
  const [path, query] = pairing ? of(pairing) : ['', {}];
  const key = pairing && JSON.stringify([path, query, request, q.show, q.layer, lang]);
  useAsking(() => {
    if (!pairing) return;
    let left = false;
    setTree(null);
    problem(null);
    const choice: Record<string, string> = { ...(q.show === 'all' ? { show: 'all' } : {}), ...(q.layer ? { layer: q.layer } : {}) };
    api.get<DiffTree>(path + '/tree', { ...query, request, lang, ...choice }).then((t) => { if (!left) { setTree(t); setClosed(new Set()); setFocus('s1'); } }, (e) => left || problem(e));
    return () => { left = true; };
  }, [key]);

  useEffect(() => { if (tree && pairing) document.title = `${pairing.common} ${tree.nameA} → ${tree.nameB} · apitrace`; }, [tree]);
  const rows = useMemo(() => (tree ? diffRows(tree, closed) : []), [tree, closed]);
  // The step that the link names.
  const name: CallName | null = q.call ? { function: q.call, caller: q.by ?? '', nth: Math.max(1, Number.parseInt(q.nth ?? '', 10) || 1) } : null;
  const found = useMemo(() => (tree && name ? locate(tree, name) : null), [tree, q.call, q.by, q.nth]);
  const selected = found?.step ?? null;
  // widened is the call for which a sentence has changed the shown changes.
  const [widened, setWidened] = useState(-1);
  const forSentence = q.show === 'all' && !!selected && holds(selected, widened);
  useEffect(() => {
    const layer = tree?.layers.find((l) => l.name === q.layer);
    notice(!found || found.exact ? (!forSentence ? '' : layer ? words.narrowed(layer.title) : words.widened) : found.step ? words.notThere : words.gone(q.call));
  }, [found, forSentence, lang]);
  // This runs before the page is drawn, so that a later click does not lose the focus
  // to this step.
  useLayoutEffect(() => {
    if (found?.step) setFocus('c' + found.step.call);
  }, [found]);

  const change = (more: Record<string, string | undefined>, replace = false) => {
    const next = Object.entries({ ...query, ...q, ...more }).filter((e): e is [string, string] => e[1] !== undefined && e[1] !== '');
    goTo({ parts: ['compare'], query: Object.fromEntries(next) }, replace);
  };
  const select = (step: DiffStep, replace = false) => change({ call: step.function, by: step.caller || undefined, nth: step.nth > 1 ? String(step.nth) : undefined }, replace);
  const wanted = useRef<{ call: number; layer: string } | null>(null); // the call to select when the tree is loaded, and its layer
  const selectCall = (call: number) => {
    const step = tree && allSteps(tree).find((s) => holds(s, call));
    if (!step) return;
    setClosed(new Set());
    select(step);
  };
  // A sentence may be about a call that the tree does not show, for example in a moved
  // package. Then the sentence leads to all changes. If they are too many to draw, it
  // leads to those of its layer.
  const onSentence = (s: DiffSentence, layer: string) => {
    const shown = !!tree && allSteps(tree).some((step) => holds(step, s.call));
    if (s.step >= 0 && (shown || q.show === 'all')) selectCall(s.step);
    else if (q.layer === layer && q.show === 'all') selectCall(s.call); // this tree already has all changes of the layer
    else {
      wanted.current = { call: s.call, layer };
      change({ layer: tree?.tooMany ? layer : q.layer, show: 'all', call: undefined, by: undefined, nth: undefined });
    }
  };
  useEffect(() => {
    const to = wanted.current;
    if (!tree || !to) return;
    if (tree.tooMany && q.layer !== to.layer) { change({ layer: to.layer }, true); return; }
    wanted.current = null;
    // If no step shows the call, the sentence leads to the nearest step above the call.
    const call = tree.layers.flatMap((l) => l.sentences).find((s) => s.call === to.call)?.step ?? -1;
    const step = allSteps(tree).find((s) => holds(s, to.call)) ?? allSteps(tree).find((s) => holds(s, call));
    if (!step) return;
    setWidened(step.call);
    select(step, true);
  }, [tree]);
  const toChange = (direction: 1 | -1) => {
    if (!tree) return;
    const steps = allSteps(tree), at = selected ? steps.indexOf(selected) : direction > 0 ? -1 : steps.length;
    for (let i = at + direction; i >= 0 && i < steps.length; i += direction) if (steps[i].mark) { setClosed(new Set()); select(steps[i]); return; }
  };
  const latest = useRef(toChange);
  latest.current = toChange;
  useEffect(() => {
    const keys = (e: KeyboardEvent) => {
      if (e.ctrlKey || e.metaKey || e.altKey || typing(e) || document.querySelector('dialog[open]')) return;
      if (e.key === 'n') latest.current(1);
      else if (e.key === 'p') latest.current(-1);
    };
    addEventListener('keydown', keys);
    return () => removeEventListener('keydown', keys);
  }, []);
  if (!pairing) return <p class="quiet loading">{common.loading}</p>;
  const sides = q.look === 'sides';
  return (
    <div class={'compare' + (selected ? '' : ' alone') + (sides ? ' by-side' : '')}>
      <div class="compare-left">
        <Controls pairing={pairing} tree={tree} request={request} sides={sides} change={change} toChange={toChange} />
        {!tree && <p class="quiet loading">{common.loading}</p>}
        {tree && <Summary tree={tree} layer={q.layer} selected={selected} onLayer={(l) => change({ layer: l, call: undefined, by: undefined, nth: undefined, show: l ? 'all' : undefined })}
          onSentence={onSentence} />}
        <div class="compare-tree">
        {tree && tree.tooMany && <p class="too-many">{words.tooMany(thousands(tree.tooMany))}</p>}
        {tree && tree.sections.length > 0 && <Fragment>
          <p class="legend">{tree.legend.map((l) => <span>{l}</span>)}</p>
          {sides && <div class="side-names" aria-hidden="true"><span>{tree.nameA}</span><span>{tree.nameB}</span></div>}
          <MergedTree rows={rows} tree={tree} sides={sides} selected={selected} focus={focus} onFocus={setFocus} onSelect={(step, follow) => select(step, follow && !!q.call)} onCall={selectCall}
            onToggle={(k) => setClosed((known) => { const next = new Set(known); if (!next.delete(k)) next.add(k); return next; })} />
          {tree.shown < tree.changes && <p class="legend">{words.hidden(thousands(tree.changes - tree.shown), thousands(tree.changes))}</p>}
        </Fragment>}
        </div>
      </div>
      <section class="compare-right" aria-label={words.inSource}>
        {tree && selected ? <Panel key={`${key} ${selected.call}`} tree={tree} step={selected} pairing={pairing} request={request} address={write(address)} onCall={selectCall} onBack={() => change({ call: undefined, by: undefined, nth: undefined })} />
          : <div class="pick"><p class="quiet">{words.pick}</p>{tree && tree.changes > 0 && tree.sections.length > 0 && <button class="go" onClick={() => toChange(1)}>{words.first}</button>}</div>}
      </section>
    </div>
  );
}

// pairingOf reads the pairing from the address. Without one, it returns the last
// request's scenario on the two newest releases that have the scenario. While the
// scenarios are being loaded, it returns null.
function pairingOf(q: Record<string, string>, scenario: string, releases: string[], releasesOf: (scenario: string) => string[] | undefined): Pairing | null {
  if (q.release && q.from && q.to) return { scenarios: true, common: q.release, from: q.from, to: q.to };
  if (q.scenario && q.from && q.to) return { scenarios: false, common: q.scenario, from: q.from, to: q.to };
  const wanted = q.scenario || scenario;
  const of = releasesOf(wanted) ?? [];
  if (of.length < 1 || releases.length === 0) return null;
  return { scenarios: false, common: wanted, from: of[1] ?? of[0], to: of[0] };
}

function Controls({ pairing, tree, request, sides, change, toChange }: {
  pairing: Pairing; tree: DiffTree | null; request: number; sides: boolean; change: (more: Record<string, string | undefined>, replace?: boolean) => void; toChange: (d: 1 | -1) => void;
}) {
  const { api, lang, words: common, goTo, releases, scenarios, address } = usePage();
  const words = compareWords[lang];
  const neighbours = api.comparisons === 'neighbours'; // each release can be compared only with the previous one
  const all = scenarios.map((s) => s.name), of = scenarios.find((s) => s.name === pairing.common)?.releases ?? [];
  const choices = pairing.scenarios ? scenarios.filter((s) => s.releases.includes(pairing.common)).map((s) => s.name) : of;
  const kept = address.query.look ? { look: address.query.look } : {} as Record<string, string>;
  const to = (p: Pairing) => goTo(pairingAddress(p, kept));
  const kind = (scenariosNow: boolean) => {
    if (scenariosNow === pairing.scenarios) return;
    if (!scenariosNow) { const r = scenarios.find((s) => s.name === pairing.to)?.releases ?? []; to({ scenarios: false, common: pairing.to, from: r[1] ?? r[0], to: r[0] }); return; }
    to({ scenarios: true, common: pairing.to, from: pairing.common, to: nearest(pairing.common, scenarios.filter((s) => s.releases.includes(pairing.to))) });
  };
  return (
    <div class="controls">
      {api.comparisons === 'any' && (
        <span class="switch" role="group" aria-label={words.kind}>
          <button aria-pressed={!pairing.scenarios} disabled={all.length === 0} onClick={() => kind(false)}>{words.releases}</button>
          <button aria-pressed={pairing.scenarios} disabled={all.length === 0} onClick={() => kind(true)}>{words.scenarios}</button>
        </span>
      )}
      {api.comparisons === 'one' ? <b class="compared">{`${pairing.common}: ${tree?.nameA ?? pairing.from} → ${tree?.nameB ?? pairing.to}`}</b> : <Fragment>
        <Choice label={pairing.scenarios ? common.release : common.scenario} value={pairing.common} of={pairing.scenarios ? releases.map((r) => r.k8sVersion) : api.comparisons === 'any' ? all : scenarios.filter((s) => s.releases.length > 1).map((s) => s.name)} scenarios={!pairing.scenarios}
          onChange={(common) => {
            const has = scenarios.find((s) => s.name === common)?.releases ?? [];
            const known = has.indexOf(pairing.to);
            if (neighbours && known >= 0 && known + 1 < has.length) to({ ...pairing, common, from: has[known + 1] });
            else to(!neighbours && (pairing.scenarios || has.includes(pairing.from) && has.includes(pairing.to)) ? { ...pairing, common } : { ...pairing, common, from: has[1] ?? has[0], to: has[0] });
          }} />
        <span class="pair">
          <Choice label={words.from} value={pairing.from} of={neighbours ? choices.slice(1) : choices} scenarios={pairing.scenarios} onChange={(from) => to({ ...pairing, from, ...(neighbours ? { to: choices[choices.indexOf(from) - 1] } : {}) })} />
          {neighbours ? <span aria-hidden="true">→</span> : <button class="swap" title={words.swap} aria-label={words.swap} onClick={() => to({ ...pairing, from: pairing.to, to: pairing.from })}>⇄</button>}
          <Choice label={words.to} value={pairing.to} of={neighbours ? choices.slice(0, -1) : choices} scenarios={pairing.scenarios} onChange={(next) => to({ ...pairing, to: next, ...(neighbours ? { from: choices[choices.indexOf(next) + 1] } : {}) })} />
        </span>
      </Fragment>}
      {tree && tree.pairs.length > 1 && (
        <select aria-label={common.request} class="requests" value={String(request)} onChange={(e) => change({ request: e.currentTarget.value, call: undefined, by: undefined, nth: undefined })}>
          {tree.pairs.map((p, i) => <option value={String(i + 1)} selected={i + 1 === request}>{`${i + 1}  ${p.request}${p.same ? ' =' : ''}`}</option>)}
        </select>
      )}
      <span class="switch" role="group" aria-label={words.layout}>
        <button aria-pressed={!sides} onClick={() => change({ look: undefined }, true)}>{words.merged}</button>
        <button aria-pressed={sides} onClick={() => change({ look: 'sides' }, true)}>{words.sides}</button>
      </span>
      <span class="switch" role="group" aria-label={words.which}>
        <button aria-pressed={address.query.show !== 'all'} onClick={() => change({ show: undefined, layer: undefined })}>{words.telling}</button>
        <button aria-pressed={address.query.show === 'all'} onClick={() => change({ show: 'all' })}>{words.all}</button>
      </span>
      <span class="switch">
        <button title={words.previous + ' (p)'} aria-label={words.previous} onClick={() => toChange(-1)}>↑</button>
        <button title={words.next + ' (n)'} aria-label={words.next} onClick={() => toChange(1)}>↓</button>
      </span>
    </div>
  );
}

// nearest returns the scenario that is most similar to a named scenario: by common words
// in the names, and by topic.
function nearest(name: string, among: Scenario[]): string {
  const topic = among.find((s) => s.name === name)?.topic, words = name.split('-');
  const score = (s: Scenario) => 2 * s.name.split('-').filter((w) => words.includes(w)).length + (s.topic === topic ? 1 : 0);
  const others = among.filter((s) => s.name !== name);
  return others.reduce((best, s) => (score(s) > score(best) ? s : best), others[0])?.name ?? name;
}

// Choice selects one of some names. With scenarios, they are names of scenarios.
function Choice({ label, value, of, scenarios: named, onChange }: { label: string; value: string; of: string[]; scenarios?: boolean; onChange: (value: string) => void }) {
  const { scenarios } = usePage();
  return (
    <select aria-label={label} title={label} class={named ? 'scenario' : undefined} value={value} onChange={(e) => onChange(e.currentTarget.value)}>
      {!of.includes(value) && <option value={value} selected>{value}</option>}
      {named ? <ScenarioOptions of={scenarios.filter((s) => of.includes(s.name))} value={value} /> : of.map((v) => <option value={v} selected={v === value}>{v}</option>)}
    </select>
  );
}

// The kinds of sentences (StatementKind in view/statement.go) that are not about what the
// server does: code that moved, and what apitrace records.
const moved = ['renamed', 'moved', 'package'], recording = ['no span', 'not traced'];

// Evidence has the lines that stand below a sentence: how it is known, or on which condition it
// depends.
export const Evidence = ({ of }: { of: string[] }) => of.length > 0 ? <ul class="evidence">{of.map((line) => <li>{line}</li>)}</ul> : null;

// Summary says in sentences what changed: first what the server does otherwise. Code that
// moved, and what is recorded otherwise, is one line each that unfolds. Each sentence
// leads to its place in the tree. The sentences about the selected step are marked.
function Summary({ tree, layer, selected, onLayer, onSentence }: { tree: DiffTree; layer?: string; selected: DiffStep | null; onLayer: (layer?: string) => void; onSentence: (of: DiffSentence, layer: string) => void }) {
  const { lang } = usePage();
  const words = compareWords[lang];
  const shown = tree.layers.filter((l) => !layer || l.name === layer);
  const small = shown.filter((l) => l.smaller > 0);
  const of = (keep: (s: DiffSentence) => boolean) => shown.map((l) => ({ ...l, sentences: l.sentences.filter(keep) })).filter((l) => l.sentences.length > 0);
  const aside = [...moved, ...recording], behaviour = of((s) => !aside.includes(s.kind));
  const isNow = (s: DiffSentence) => !!selected && (s.step === selected.call || holds(selected, s.call));
  const pane = useRef<HTMLElement>(null);
  useEffect(() => pane.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' }), [selected]);
  const list = (layers: DiffLayer[]) => (
    <dl>
      {layers.map((l) => (
        <div style={colour(l.colour)}>
          <dt>{l.name && !layer ? <button class="layer" title={words.oneLayer(l.title)} onClick={() => onLayer(l.name)}>{l.title}</button> : <span class="layer">{l.title}</span>}</dt>
          <dd>
            {l.sentences.map((s) => (
              <Fragment>
                <button class="sentence" aria-current={isNow(s) ? 'true' : undefined} onClick={() => onSentence(s, l.name)}>{s.text}</button>
                <Evidence of={s.evidence} />
              </Fragment>
            ))}
          </dd>
        </div>
      ))}
    </dl>
  );
  const fold = (kinds: string[], title: (n: string) => string) => {
    const layers = of((s) => kinds.includes(s.kind)), all = layers.flatMap((l) => l.sentences);
    return all.length > 0 && <details class="aside" open={behaviour.length === 0 || all.some(isNow)}><summary>{title(thousands(all.length))}</summary>{list(layers)}</details>;
  };
  const answer = (status: number) => tree.statusA || tree.statusB ? ` → ${status || '–'}` : ''; // an event has no status
  const end = tree.statusA === tree.statusB ? answer(tree.statusB) : ` → ${tree.statusA || '–'} | ${tree.statusB || '–'}`;
  return (
    <section class="summary" aria-label={words.summary} ref={pane}>
      {tree.was ? <h1><b>{tree.nameA}</b> {tree.was}{answer(tree.statusA)}<br /><b>{tree.nameB}</b> {tree.request}{answer(tree.statusB)}</h1> : <h1>{tree.request}{end}</h1>}
      <p class="facts">{tree.onlyIn ?? tree.facts}</p>
      {tree.warnings.map((w) => <p class="warning">{w}</p>)}
      {tree.same && <p>{words.same}</p>}
      {layer && <p><button class="link" onClick={() => onLayer()}>{words.everyLayer}</button></p>}
      {behaviour.length > 0 && list(behaviour)}
      {fold(moved, words.movedCode)}
      {fold(recording, words.recordedOtherwise)}
      {tree.noReason && <p class="facts">{tree.noReason}</p>}
      {small.length > 0 && <p class="facts">{words.smaller}{words.colon}{small.map((l, i) => <Fragment>{' '}<span class="listed">{l.name ? <button class="link" title={words.oneLayer(l.title)} onClick={() => onLayer(l.name)}>{l.title} {thousands(l.smaller)}</button> : `${l.title} ${thousands(l.smaller)}`}{i < small.length - 1 && words.comma.trim()}</span></Fragment>)}</p>}
      {tree.unchanged.length > 0 && !layer && <p class="facts">{words.unchanged}{words.colon}{tree.unchanged.join(words.comma)}</p>}
    </section>
  );
}

// TheOther names the step that replaced this step, or that this
// step replaced, and links to it.
function TheOther({ of, say, onCall }: { of: Origin; say: (name: string) => string; onCall: (call: number) => void }) {
  return of.step < 0 ? <span>{say(of.name)}</span> : <button class="link" onClick={() => onCall(of.step)}>{say(of.name)}</button>;
}

// Panel shows a step: its call on both sides, the values that differ, and the
// hunks of the source that differ.
function Panel({ tree, step, pairing, request, address, onCall, onBack }: {
  tree: DiffTree; step: DiffStep; pairing: Pairing; request: number; address: string; onCall: (call: number) => void; onBack: () => void;
}) {
  const { lang, words: common } = usePage();
  const words = compareWords[lang];
  const placeOf = (ofA: boolean): Place => ({
    scenario: pairing.scenarios ? (ofA ? pairing.from : pairing.to) : pairing.common, release: pairing.scenarios ? pairing.common : ofA ? pairing.from : pairing.to,
    request: ofA ? tree.requestA : tree.requestB,
  });
  const only = step.change === 'added' ? step.b : step.change === 'removed' ? step.a : undefined;
  const open = (spot: Spot, ofA: boolean) => write(requestAddress({
    place: placeOf(ofA), view: firstView, call: { function: spot.function, caller: spot.caller, nth: spot.nth }, more: {},
  }));
  const [copied, setCopied] = useState(false);
  return (
    <article class={'code difference ' + step.change} aria-label={step.function}>
      <header style={colour(step.colour)}>
        <div class="tools"><button class="quiet" onClick={onBack}>← {common.back}</button>
          <a class="of-function" href={functionAddress((step.b ?? step.a)!.function, placeOf(!step.b).release)}>{common.function.all}</a>
          <button class="quiet" onClick={() => navigator.clipboard.writeText(new URL(address, location.href).href).then(() => { setCopied(true); setTimeout(() => setCopied(false), 1500); }, () => {})}>{copied ? common.copied : common.copy}</button></div>
        <h2><span class="mark-of" aria-hidden="true">{step.mark}</span> {(step.b ?? step.a)!.name}</h2>
        {step.change === 'added' && <p class="only">{words.added(tree.nameB)}</p>}
        {step.change === 'removed' && <p class="only">{words.added(tree.nameA)}</p>}
        {(step.details ?? []).map((d) => <p class="detail">{d}</p>)}
        {step.was && step.was.step >= 0 && <p class="detail">{words.place}<button class="link" onClick={() => onCall(step.was!.step)}>{words.wasCalledBy(step.was.name)}</button></p>}
        {step.instead && <p class="detail">{words.place}<TheOther of={step.instead} say={words.insteadOf} onCall={onCall} /></p>}
        {step.by && <p class="detail">{words.place}<TheOther of={step.by} say={words.replacedBy} onCall={onCall} /></p>}
        <p class="about">
          {step.a && <a href={open(step.a, true)}>{words.openIn(tree.nameA)} {step.a.time && `(${step.a.time})`}</a>}
          {step.b && <a href={open(step.b, false)}>{words.openIn(tree.nameB)} {step.b.time && `(${step.b.time})`}</a>}
        </p>
      </header>
      {step.values.length > 0 && (
        <table class="values-of">
          <thead><tr><th>{words.value}</th><th>{tree.nameA}</th><th>{tree.nameB}</th></tr></thead>
          <tbody>{step.values.map((v) => <tr><th scope="row">{v.name}</th><td>{v.a === '' ? '""' : v.a}</td><td>{v.b === '' ? '""' : v.b}</td></tr>)}</tbody>
        </table>
      )}
      <Hunks pairing={pairing} request={request} call={step.call} own={only} nameA={tree.nameA} nameB={tree.nameB} />
      {only && <NewText place={placeOf(only === step.a)} call={only.call} sign={only === step.a ? '−' : '+'} />}
    </article>
  );
}
