import { Fragment, h } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Problem } from './api.ts';
import { useBeside } from './beside.tsx';
import { usePage } from './context.ts';
import { firstView, requestAddress } from './link.ts';
import { useCheck } from './live-state.ts';
import { liveWords } from './live-words.ts';
import { orderOf, Progress, RequestFields, TypedRequest, useWork } from './live.tsx';
import { send } from './send.ts';
import { boardAddress, Entry, exerciseAddress, Html, lessonAddress, useFresh } from './workshop.tsx';
import { WorkshopWords } from './workshop-words.ts';

interface Sheet extends Entry {
  chapter: string; lesson: string; question: string; options: { letter: string; text: string }[]; evidence: boolean; file: string; command: string;
  releases: string[]; traces: { which: string; release: string; scenario: string }[]; answer: string; hints: string[]; hintsLeft: number;
  solution?: { answers: string[]; steps: string[]; text: string }; debrief: string; previous: string; following: string; notices: string[];
}
interface Reply { passed: boolean; text: string; notices: string[]; trace: string; exercise: Sheet }

// Exercise shows a question, and its trace beside it. The address has the
// selected call of the trace.
export function Exercise({ name, k8s, w }: { name: string; k8s: string; w: WorkshopWords }) {
  const { lang, words, problem } = usePage();
  const path = '/workshop/exercises/' + encodeURIComponent(name);
  const [sheet, update] = useFresh<Sheet>(path, k8s);
  const of = k8s && '?k8s=' + encodeURIComponent(k8s);
  const work = useWork<Reply>();
  const check = useCheck(name, work.working && !!sheet?.live);
  const act = (did: string) => { problem(null); update(send<Sheet>('POST', `${path}/actions${of}`, { did })); };
  // Opening an exercise starts it. So the command line continues with the same exercise.
  useEffect(() => { if (sheet && !sheet.started && sheet.available) act('started'); }, [sheet?.name]);
  useEffect(() => { if (work.done) update(Promise.resolve(work.done.exercise)); }, [work.done]);

  // The problems of the trace are shown beside the question.
  const first = sheet?.traces[0];
  const { link, show, draw } = useBeside(['k8s'], first ? { parts: [first.release, first.scenario, '1'], query: { open: 'all' } } : null);
  if (!sheet) return <p class="quiet loading">{words.loading}</p>;
  const answer = (body: object) => work.begin((signal) => send('POST', `${path}/answers${of}`, body, signal));
  return (
    <div class={'workshop exercise' + (link ? ' beside' : '')}>
      <div class="question">
        <nav class="way" aria-label={w.title}>
          <a href={boardAddress(k8s)}>‹ {w.back}</a><span class="gap" />
          {sheet.previous && <a href={exerciseAddress(sheet.previous, k8s)}>{w.previous}</a>}
          {sheet.following && <a href={exerciseAddress(sheet.following, k8s)}>{w.following}</a>}
        </nav>
        <h1>{sheet.number} {sheet.title} {sheet.passed && <span class="ok">✓ {sheet.revealed ? w.revealed : w.passed}</span>}</h1>
        <p class="quiet">{[sheet.chapter, sheet.kindTitle, w.minutes(sheet.minutes)].join(' · ')}{sheet.lesson && <Fragment> · <a href={lessonAddress(sheet.lesson, sheet.name, k8s)}>{w.lesson}</a></Fragment>}{sheet.tries > 0 && ` · ${w.tries(sheet.tries)}`}</p>
        {sheet.notices.map((n) => <p class="warning" role="alert">{n}</p>)}
        <Html html={sheet.question} />
        {link && sheet.question.includes('<code>apitrace ') && <p class="quiet commands-here">{w.commandsHere}</p>}
        {sheet.traces.length > 1 && <p class="recordings">{w.traces}{words.colon} {sheet.traces.map((t) => (
          <button class="link" onClick={() => show(requestAddress({ place: { release: t.release, scenario: t.scenario, request: 1 }, view: firstView, more: {} }))}>{t.which ? `${t.which}${words.colon}` : ''}{t.scenario} {t.release}</button>))}</p>}
        {sheet.available ? <Form key={sheet.name} sheet={sheet} selected={link?.call?.function} w={w} working={work.working} wrong={work.wrong} onAnswer={answer} onCancel={work.cancel} /> : <p class="warning elsewhere">{w.otherRelease} <a href={exerciseAddress(sheet.name, sheet.releases.at(-1) ?? '')}>{w.with(sheet.releases.at(-1) ?? '')}</a></p>}
        {check?.progress && <Progress of={check.progress} w={liveWords[lang]} />}
        {check && check.notices.length > 0 && <ul class="notices">{check.notices.slice(-4).map((n) => <li>{n}</li>)}</ul>}
        <div class="reply" role="status">
          {work.cancelled && <p class="quiet">{w.wasCancelled}</p>}
          {work.done && <div class={work.done.passed ? 'right' : 'wrong'}>
            {!work.done.passed && <p><b>✗ {w.wrong}</b></p>}<Html html={work.done.text} />
            {work.done.notices.length > 0 && <ul class="notices">{work.done.notices.map((n) => <li>{n}</li>)}</ul>}
            {work.done.passed && sheet.following && <p><a class="go" href={exerciseAddress(sheet.following, k8s)}>{w.goToNext} →</a></p>}
            {work.done.trace && <p><button class="link" onClick={() => show({ parts: ['live', work.done!.trace, '1'], query: {} })}>{w.trace}</button></p>}
          </div>}
          {!work.done && sheet.answer && <p class="quiet">{w.last} <code>{sheet.answer}</code></p>}
        </div>
        <Help sheet={sheet} w={w} onAction={act} />
      </div>
      {draw(w.beside)}
    </div>
  );
}

function Help({ sheet, w, onAction }: { sheet: Sheet; w: WorkshopWords; onAction: (did: string) => void }) {
  return (
    <Fragment>
      {sheet.hints.length > 0 && <section class="hints" aria-labelledby="hints"><h2 id="hints">{w.hints}</h2><ol>{sheet.hints.map((html) => <li><Html html={html} /></li>)}</ol></section>}
      <p class="actions">
        {sheet.hintsLeft > 0 && !sheet.passed && <button class="hint" onClick={() => onAction('hinted')}>{w.hint} <span class="quiet">{w.hintsLeft(sheet.hintsLeft)}</span></button>}
        {!sheet.solution && sheet.hintsLeft === 0 && <button class="reveal" onClick={() => onAction('revealed')}>{w.solution}</button>}
        {(sheet.tries > 0 || sheet.passed || sheet.hints.length > 0) && <button class="reset" onClick={() => onAction('reset')}>{w.reset}</button>}
      </p>
      {sheet.solution && <section class="solution" aria-labelledby="solution"><h2 id="solution">{w.solutionTitle}</h2>
        {sheet.solution.answers.map((a, i) => <Fragment>{i > 0 && !sheet.file && <p class="quiet">{w.orElse}</p>}<pre tabIndex={0}>{a}</pre></Fragment>)}
        {sheet.solution.steps.length > 0 && <ol>{sheet.solution.steps.map((s) => <li>{s}</li>)}</ol>}
        <Html html={sheet.solution.text} /></section>}
      {sheet.debrief && <section class="debrief" aria-labelledby="debrief"><h2 id="debrief">{w.debrief}</h2><Html html={sheet.debrief} /></section>}
    </Fragment>
  );
}

const askers = ['learner', 'admin', 'anonymous', 'stranger'];

// Form is the form for an answer. Each kind of exercise has its own fields.
function Form({ sheet, selected, w, working, wrong, onAnswer, onCancel }: {
  sheet: Sheet; selected?: string; w: WorkshopWords; working: boolean; wrong: Problem | null; onAnswer: (body: object) => void; onCancel: () => void;
}) {
  const { lang } = usePage();
  const [text, setText] = useState('');
  const [truth, setTruth] = useState('');
  const [chosen, setChosen] = useState<string[]>([]);
  const [order, setOrder] = useState(() => sheet.options.map((o) => o.letter));
  const typed = useRef<TypedRequest>({ method: 'GET', path: '', as: 'learner', headers: [], body: '' });
  const kind = sheet.kind;
  const move = (at: number, by: number) => { const next = [...order]; [next[at], next[at + by]] = [next[at + by], next[at]]; setOrder(next); };
  // lacks says what is missing in the answer, and where: in its text, or in the choice.
  const [lacks, setLacks] = useState('');
  const lacking = () => kind === 'claim' && !truth || kind === 'choose' && chosen.length === 0 ? 'choice'
    : (kind === 'find' || kind === 'value' || kind === 'claim' && sheet.evidence) && text.trim() === '' ? 'text' : '';
  const missing = (where: string, says: string) => lacks === where && lacking() === where && <p class="field-error" id={'lacks-' + where} role="alert">{says}</p>;
  const invalid = (where: string) => (lacks === where && lacking() === where ? { 'aria-invalid': true, 'aria-describedby': 'lacks-' + where } : {});
  const submit = (e: Event) => {
    e.preventDefault();
    setLacks(lacking());
    if (lacking()) return;
    switch (kind) {
      case 'make': return onAnswer({ request: orderOf(typed.current) });
      case 'change': return onAnswer({});
      case 'claim': return onAnswer({ text: `${truth} ${text}` });
      case 'choose': return onAnswer({ text: [...chosen].sort().join(' ') });
      case 'order': return onAnswer({ text: order.join(' ') });
      default: return onAnswer({ text });
    }
  };
  const words = (label: string) => (
    <Fragment>
      <label class="block">{label}<input {...invalid('text')} type="text" name="answer" value={text} autocomplete="off" spellcheck={false} onInput={(e) => setText(e.currentTarget.value)} /></label>
      {missing('text', kind === 'value' ? w.lacksValue : w.lacksFunction)}
      {kind !== 'value' && sheet.traces.length > 0 && (selected ? <button type="button" class="use" onClick={() => { setText(selected); if (kind === 'find' && !working) onAnswer({ text: selected }); }}>{kind === 'find' ? w.answerSelected : w.useSelected}</button> : <p class="quiet">{w.selectOne}</p>)}
    </Fragment>
  );
  return (
    <form class="answer" onSubmit={submit}>
      {kind === 'find' && words(w.functionName)}
      {kind === 'value' && words(w.value)}
      {kind === 'claim' && <Fragment>
        <fieldset {...invalid('choice')}><legend>{w.claim}</legend>{[['true', w.isTrue], ['false', w.isFalse]].map(([v, label]) => (
          <label class="option"><input type="radio" name="truth" value={v} checked={truth === v} onChange={() => setTruth(v)} /> {label}</label>))}</fieldset>
        {missing('choice', w.lacksTruth)}
        {sheet.evidence && words(w.evidence)}
      </Fragment>}
      {kind === 'choose' && <fieldset {...invalid('choice')}><legend>{w.choose}</legend>{sheet.options.map((o) => (
        <label class="option"><input type="checkbox" name={o.letter} checked={chosen.includes(o.letter)} onChange={(e) => setChosen(e.currentTarget.checked ? [...chosen, o.letter] : chosen.filter((c) => c !== o.letter))} /> <span class="letter">{o.letter}</span><Html html={o.text} /></label>))}</fieldset>}
      {kind === 'choose' && missing('choice', w.lacksChoice)}
      {kind === 'order' && <fieldset><legend>{w.order}</legend><ol class="order">{order.map((letter, at) => (
        <li key={letter}><span class="letter">{letter}</span><Html html={sheet.options.find((o) => o.letter === letter)!.text} />
          <button type="button" aria-label={w.up(letter)} disabled={at === 0} onClick={() => move(at, -1)}>↑</button>
          <button type="button" aria-label={w.down(letter)} disabled={at === order.length - 1} onClick={() => move(at, 1)}>↓</button></li>))}</ol></fieldset>}
      {kind === 'make' && <RequestFields askers={askers} first={typed.current} w={liveWords[lang]} wrong={wrong} onChange={(r) => { typed.current = r; }} />}
      {kind === 'change' && <Fragment><p>{w.change}</p><pre tabIndex={0}>apitrace edit {sheet.file}</pre></Fragment>}
      {sheet.live && <p class="quiet">{w.needsServer}</p>}
      <div class="line">
        {working ? <button type="button" class="stop" onClick={onCancel}>{w.cancel}</button> : <button class="go">{w.check}</button>}
        {working && <span class="quiet">{w.checking}</span>}
      </div>
    </form>
  );
}
