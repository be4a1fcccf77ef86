import { Fragment, h } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Place, Problem, requestPath, Source } from './api.ts';
import { compareWords } from './compare-words.ts';
import { of, Pairing, SourceDiff, SourceSide, Spot } from './compare-data.ts';
import { fetchable, Licence, Text, useWrap } from './code.tsx';
import { FetchSources } from './fetch.tsx';
import { useAsking, usePage } from './context.ts';

// Hunks shows how the texts of a function differ. This is the function of the selected
// call or, if only one side makes the call, of the nearest caller on both sides. own is
// the call if only one side makes it.
export function Hunks({ pairing, request, call, own, nameA, nameB }: { pairing: Pairing; request: number; call: number; own?: Spot; nameA: string; nameB: string }) {
  const { api, lang, words: common, releases } = usePage();
  const words = compareWords[lang];
  const [diff, setDiff] = useState<SourceDiff | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [again, setAgain] = useState(0);
  const marked = useRef<HTMLDivElement>(null);
  const [wrapped, wrap] = useWrap();
  const [path, query] = of(pairing);
  const asked = path + '/source?' + new URLSearchParams(Object.entries({ ...query, request, call }).map(([k, v]) => [k, String(v)]));
  // lacking returns the program and the release of each side whose source may be missing.
  const lacking = (d: SourceDiff) => ([[d.a, nameA], [d.b, nameB]] as const).flatMap(([side, name]) => {
    const process = side?.program.split(' ')[0] ?? '', release = releases.find((r) => r.k8sVersion === name);
    return fetchable.includes(process) && release && (process !== 'kube-apiserver' || !release.source) ? [[process, name] as const] : [];
  });
  useAsking(() => {
    let left = false;
    setDiff(null);
    setProblem(null);
    api.get<SourceDiff>(path + '/source', { ...query, request, call }).then((d) => left || setDiff(d), (e) => left || setProblem(e));
    return () => { left = true; };
  }, [path, JSON.stringify(query), request, call, lang, again]);
  useEffect(() => marked.current?.scrollIntoView({ block: 'nearest' }), [diff]);
  if (problem) return <div class="nosource"><p><b>{problem.message}</b></p><p>{problem.action}</p></div>;
  if (!diff) return <p class="quiet loading">{common.loading}</p>;
  const ofCaller = diff.line > 0 && diff.b;
  const direct = !own || own.caller === (diff.onB ? diff.b : diff.a)?.function;
  return (
    <section class={'source hunks' + (wrapped ? ' wrapped' : '')} aria-label={words.inSource}>
      {ofCaller && <p class="of-caller">{(diff.missing ? words.ofCallerMissing : diff.hunk < 0 ? words.ofCallerNoHunk : direct ? words.ofCaller : words.ofCallerBelow)(diff.b!.name)}</p>}
      {diff.a && diff.b && <div class="file-pair"><File mark="−" side={diff.a} name={nameA} /><File mark="+" side={diff.b} name={nameB} />{wrap}</div>}
      {diff.missing ? (
        <div class="nosource">
          <p><b>{words.sourceMissing}{common.colon}</b>{diff.missing}{common.fullStop}</p>
          {diff.action && <p>{diff.action}</p>}
          {api.live && diff.action && lacking(diff).map(([process, release]) => <FetchSources key={process + release} process={process} release={release} done={() => { api.forget(asked); setAgain(again + 1); }} />)}
          {diff.compare && <p><a href={diff.compare} target="_blank" rel="noreferrer">{words.upstreamCompare} ↗</a></p>}
        </div>
      ) : diff.same ? <p class="same-text">{words.sameText}{ofCaller ? ` (${words.line(diff.line)})` : ''}</p> : (
        <div class="lines" tabIndex={0} role="region" aria-label={words.inSource}>
          {diff.hunks.map((hunk, n) => (
            <div class={'hunk' + (n === diff.hunk ? ' made-here' : '')} ref={n === diff.hunk ? marked : undefined}>
              <div class="hunk-heading">{`@@ -${hunk.fromA},${hunk.countA} +${hunk.fromB},${hunk.countB} @@`}</div>
              {hunk.lines.map((l) => (
                <TextLine numbers={[[l.a, words.lineOf(nameA)], [l.b, words.lineOf(nameB)]]} sign={l.a === 0 ? '+' : l.b === 0 ? '−' : ''}
                  here={diff.line > 0 && (diff.onB ? l.b : l.a) === diff.line ? words.callIsHere : undefined} tokens={l.tokens} />
              ))}
            </div>
          ))}
        </div>
      )}
      {!diff.missing && diff.compare && <p class="from"><a href={diff.compare} target="_blank" rel="noreferrer">{words.upstreamCompare} ↗</a></p>}
      {!diff.missing && <Licence of={diff} />}
    </section>
  );
}

// NewText shows the text of a function that only one side calls, if the text is known.
export function NewText({ place, call, sign }: { place: Place; call: number; sign: '+' | '−' }) {
  const { api, lang } = usePage();
  const words = compareWords[lang];
  const [source, setSource] = useState<Source | null>(null);
  const [wrapped] = useWrap();
  const path = `${requestPath(place)}/calls/${call}/source`;
  useAsking(() => {
    let left = false;
    setSource(null);
    api.get<Source>(path).then((s) => left || setSource(s), () => {}); // Hunks already says which source is missing
    return () => { left = true; };
  }, [path]);
  if (!source || source.lines.length === 0) return null;
  return (
    <section class={'source new-text' + (wrapped ? ' wrapped' : '')} aria-label={words.newText}>
      <p class={sign === '+' ? 'plus' : 'minus'}><b aria-hidden="true">{sign}</b> {words.newText}{words.colon}{source.file.slice(source.file.lastIndexOf('/') + 1)}:{source.line}</p>
      <div class="lines" tabIndex={0} role="region" aria-label={words.newText}>
        <div class="hunk">
          {source.lines.map((l) => <TextLine numbers={[[l.number]]} sign={sign} tokens={l.tokens} />)}
        </div>
      </div>
      <Licence of={source} />
    </section>
  );
}

// TextLine is a line of a compared text. numbers are its numbers on each side, with their
// descriptions. A line where the selected call is made has the description "here".
function TextLine({ numbers, sign, here, tokens }: { numbers: [number, string?][]; sign: '+' | '−' | ''; here?: string; tokens: Source['lines'][0]['tokens'] }) {
  return (
    <div class={'l' + (sign === '+' ? ' plus' : sign === '−' ? ' minus' : '') + (here ? ' here' : '')}>
      {numbers.map(([number, title]) => <span class="no" title={title}>{number || ''}</span>)}
      <span class="n" title={here}>{sign}</span>
      <Text tokens={tokens} />
    </div>
  );
}

function File({ mark, side, name }: { mark: string; side: SourceSide; name: string }) {
  const place = <Fragment>{side.file.slice(side.file.lastIndexOf('/') + 1)}:{side.line}</Fragment>;
  return (
    <p class={mark === '+' ? 'plus' : 'minus'}><b aria-hidden="true">{mark}</b> {name}: {side.name}{' '}
      {side.url ? <a href={side.url} target="_blank" rel="noreferrer">{place}</a> : place}</p>
  );
}
