import { ComponentChildren, CSSProperties, Fragment, h } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Details, Frame, Mark, Place, Problem, requestPath, Source } from './api.ts';
import { useAsking, usePage, useRequest } from './context.ts';
import { FetchSources } from './fetch.tsx';
import { functionAddress } from './link.ts';
import { thousands, Words } from './words.ts';

const colour = (c: string): CSSProperties => (c ? { '--layer': c } : {}) as CSSProperties;

// Code shows a call: its details, and the source that ran.
export function Code({ place, details, line, onSelect, onBack, address }: {
  place: Place; details: Details; line?: number; onSelect: (call: number, line?: number) => void; onBack: () => void; address: string;
}) {
  const { words } = usePage();
  const { position, view, recording } = useRequest();
  const c = details.call;
  const caller = details.stack[0] as Frame | undefined;
  const cut = c.function.lastIndexOf('/');
  const dot = c.function.indexOf('.', cut);
  return (
    <article class="code" aria-label={c.function}>
      <header style={colour(c.colour)}>
        <div class="tools"><button class="quiet" onClick={onBack}>← {words.back}</button><a class="of-function" href={functionAddress(c.function, recording?.k8sVersion)}>{words.function.all}</a><Copy address={address} words={words} /></div>
        <p class="package">{c.function.slice(0, dot)}</p>
        <h2>{c.function.slice(dot + 1)}</h2>
        <p class="about">
          {details.title && <span class="layer">{details.title}</span>}
          <span>{c.leaf ? words.untimed : c.time}{c.unfinished ? ` (${words.unfinished})` : ''}</span>
          <span>{c.process}</span>
          <span>{words.runsOn} {c.goroutine}{c.newGoroutine ? ` (${words.goroutine})` : ''}</span>
          <span>{view ? words.callOf(thousands(c.index + 1), thousands(view.calls)) : ''}</span>
        </p>
      </header>
      {(c.error || c.panic) && (
        <div class="failed">
          {c.error && <p><b>{words.error}</b> {c.error}</p>}
          {c.panic && <p><b>{words.panic}</b> {c.panic}</p>}
        </div>
      )}
      {details.note && <p class="note">{details.note}</p>}
      {details.values.length > 0 && (
        <dl class="attributes" aria-label={words.values}>
          {details.values.map((v) => <div class={v.decides ? 'decides' : ''}><dt>{v.name}</dt><dd>{v.value === '' ? '""' : v.value}</dd></div>)}
        </dl>
      )}
      <div class="from">
        {!caller ? words.firstCall : c.afterwards && details.stack.length === 1 ? words.event
          : <Fragment>{c.afterwards ? `${words.event} ${words.eventFrom}` : words.calledFrom}{' '}<button class="link" style={colour(caller.colour)} onClick={() => onSelect(caller.index, caller.line || undefined)}>{caller.name}{caller.line ? `, ${base(caller.file)}:${caller.line}` : ''}</button></Fragment>}
        {details.stack.length > 1 && !c.afterwards && <Stack stack={details.stack} open={!!position} words={words} onSelect={onSelect} />}
      </div>
      <SourceOf key={`${requestPath(place)}/${c.index}`} place={place} details={details} line={line} words={words} onSelect={onSelect} />
    </article>
  );
}

const base = (file: string) => file.slice(file.lastIndexOf('/') + 1);

// Stack lists the callers. The list ends at a call that handles the event of a write,
// because nobody called that one.
function Stack({ stack, open, words, onSelect }: { stack: Frame[]; open: boolean; words: Words; onSelect: (call: number, line?: number) => void }) {
  const event = stack.findIndex((f) => f.afterwards), callers = event < 0 ? stack : stack.slice(0, event + 1);
  return (
    <details class="stack" open={open}>
      <summary>{words.stack} ({callers.length})</summary>
      <ol>
        {callers.map((f) => (
          <li><button class="link" style={colour(f.colour)} onClick={() => onSelect(f.index, f.line || undefined)}>{f.name}</button>
            <span class="place">{base(f.file)}{f.line ? ':' + f.line : ''}</span>{f.newGoroutine && <span class="mark">go</span>}{f.afterwards && <span class="mark" title={words.event}>{words.eventMark}</span>}</li>
        ))}
      </ol>
    </details>
  );
}

function Copy({ address, words }: { address: string; words: Words }) {
  const [copied, setCopied] = useState(false);
  return (
    <button class="quiet" onClick={() => navigator.clipboard.writeText(new URL(address, location.href).href).then(() => {
      setCopied(true);
      setTimeout(() => setCopied(false), 1500);
    }, () => {})}>{copied ? words.copied : words.copy}</button>
  );
}

// fetchable lists the programs with sources to fetch.
export const fetchable = ['kube-apiserver', 'etcd', 'sample-apiserver'];

function SourceOf({ place, details, line, words, onSelect }: {
  place: Place; details: Details; line?: number; words: Words; onSelect: (call: number) => void;
}) {
  const { api, lang } = usePage();
  const [source, setSource] = useState<Source | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [again, setAgain] = useState(0);
  const c = details.call;
  const path = `${requestPath(place)}/calls/${c.index}/source`;
  useAsking(() => {
    let left = false;
    setProblem(null);
    api.get<Source>(path).then((s) => left || setSource(s), (e) => left || setProblem(e));
    return () => { left = true; };
  }, [path, again, lang]);
  const { recording } = useRequest();
  const release = recording && place.release !== 'live' ? recording.k8sVersion : '';
  const retry = () => { api.forget(path); setSource(null); setAgain(again + 1); };
  if (problem || source?.missing) {
    const [message, action] = problem ? [problem.message, problem.action] : [source!.missing, source!.action];
    return (
      <div class="nosource">
        <p><b>{words.noSource}{words.colon}</b>{message}{words.fullStop}</p>
        {action && <p>{action}</p>}
        {api.live && action && release && fetchable.includes(c.process) && <FetchSources process={c.process} release={release} done={retry} />}
        <p>{api.live && action && <button onClick={retry}>{words.tryAgain}</button>}{c.url && <a href={c.url} target="_blank" rel="noreferrer">{words.atUpstream}</a>}</p>
      </div>
    );
  }
  if (!source) return <p class="quiet loading">{words.loading}</p>;
  return <Lines source={source} line={line} words={words} onSelect={onSelect} />;
}

// Lines shows the source of a call. The calls that it made lead to themselves.
function Lines({ source, line, words, onSelect }: { source: Source; line?: number; words: Words; onSelect: (call: number) => void }) {
  const { position, link } = useRequest();
  const next = position?.kind === 'calling' ? position.next : -1;
  const upstream = link.more.show === 'upstream';
  return (
    <Listing source={source} line={line} control={!!position} mark={(m) => (
      <Fragment>
        <button class={(m.failed ? 'failed' : '') + (m.calls.includes(next) ? ' next' : '') + (upstream && m.upstream ? ' upstream' : '')} onClick={() => onSelect(m.calls[0])}>{upstream && m.upstream ? `◆ ${m.upstream}` : `→ ${m.name}`}</button>
        {m.calls.length > 1 && <span class="each">{m.calls.slice(0, 12).map((call, i) => <button aria-label={`${m.name} ${i + 1}`} onClick={() => onSelect(call)}>{i + 1}</button>)}{m.count > 12 && <span>… ×{thousands(m.count)}</span>}</span>}
      </Fragment>
    )} />
  );
}

// The browser keeps whether long lines of code are wrapped. At first they are.
const keptWrap = () => { try { return localStorage.getItem('wrap') !== 'false'; } catch { return true; } };
const keepWrap = (wrap: boolean) => { try { localStorage.setItem('wrap', String(wrap)); } catch { /* a private window */ } };

// useWrap returns whether long lines are wrapped, and the box that changes it.
export function useWrap() {
  const { words } = usePage();
  const [wrapped, setWrapped] = useState(keptWrap);
  return [wrapped, <label class="choice wrap"><input type="checkbox" checked={wrapped} onChange={() => { setWrapped(!wrapped); keepWrap(!wrapped); }} />{words.wrap}</label>] as const;
}

type Tokens = Source['lines'][0]['tokens'];

const tabsOf = (tokens: Tokens) => tokens[0]?.text.match(/^\t*/)?.[0] ?? '';

const indented = (tokens: Tokens) => ({ '--indent': tabsOf(tokens).length }) as CSSProperties;

// Text is the text of a line. A wrapped line is not broken behind its first tabs.
export function Text({ tokens }: { tokens: Tokens }) {
  const tabs = tabsOf(tokens);
  return (
    <code style={indented(tokens)}>
      {tabs && <span class="tabs">{tabs}</span>}
      {tokens.map(({ kind, text }, i) => { const shown = i === 0 ? text.slice(tabs.length) : text; return kind ? <span class={'k-' + kind}>{shown}</span> : shown; })}
    </code>
  );
}

// Listing shows the text of a function, and below each line the functions that it called.
// mark draws one of them. line is in sight; with control, control has reached it.
export function Listing({ source, line, control, mark }: { source: Source; line?: number; control?: boolean; mark: (m: Mark) => ComponentChildren }) {
  const { words } = usePage();
  const [wrapped, wrap] = useWrap();
  const wanted = useRef<HTMLDivElement>(null);
  useEffect(() => wanted.current?.scrollIntoView({ block: 'center' }), [line, source]);
  const byLine = new Map<number, Mark[]>();
  for (const m of source.marks) byLine.set(m.line, [...(byLine.get(m.line) ?? []), m]);
  return (
    <section class={'source' + (wrapped ? ' wrapped' : '')} aria-label={words.source}>
      <p class="file"><span>{source.file}</span> <span class="quiet">{source.program}</span> {source.url && <a href={source.url} target="_blank" rel="noreferrer">{words.upstream} ↗</a>}{wrap}</p>
      <div class="lines" tabIndex={0} role="region" aria-label={source.file}>
        {source.lines.map((l) => {
          const marks = byLine.get(l.number) ?? [];
          const count = marks.reduce((sum, m) => sum + m.count, 0);
          return (
            <Fragment key={l.number}>
              <div class={'l' + (count ? ' ran' : '') + (l.number === line ? ' here' : '') + (l.number === line && control ? ' control' : '')} ref={l.number === line ? wanted : undefined}>
                <span class="no">{l.number}</span>
                <span class="n" title={count ? words.lineRan(count, l.number) : undefined}>{count ? (count > 1 ? '×' + thousands(count) : '●') : ''}</span>
                <Text tokens={l.tokens} />
              </div>
              {marks.length > 0 && (
                <div class="marks" style={indented(l.tokens)}>
                  {marks.map((m) => m.noSpan
                    ? <span class="nospan" title={words.noSpanTitle}>◌ {m.name}</span>
                    : mark(m))}
                </div>
              )}
            </Fragment>
          );
        })}
      </div>
      <Licence of={source} />
    </section>
  );
}

// Licence shows the copyright notice and the licence of a text. Only a
// page without a server has them.
export function Licence({ of: source }: { of: Pick<Source, 'notice' | 'licence'> }) {
  const { words } = usePage();
  if (!source.licence) return null;
  return (
    <details class="licence">
      <summary>{words.licence(source.licence.of)}</summary>
      {source.notice && <pre>{source.notice}</pre>}
      <pre>{source.licence.text}</pre>
    </details>
  );
}
