import { h, render } from 'preact';
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { groupWords, GroupWords } from './group-words.ts';
import { during } from './idle.ts';

type Lang = 'en' | 'zh';
type Theme = 'system' | 'light' | 'dark';
interface Text { En: string; Zh: string }
interface Exercise { name: string; number: string; title: Text; claim: boolean }
interface Learner { id: number; name: string; passed: number; tries: number; current: string; done: Record<string, keyof GroupWords['done']>; voted: boolean }
interface Question { exercise: string; text: Text; poll: boolean; open: boolean; votes: number; true: number; false: number }
interface State { addresses: string[]; code: string; exercises: Exercise[]; learners: Learner[]; question?: Question }

const stored = (name: string) => { try { return localStorage.getItem(name); } catch { return null; } };
const store = (name: string, value: string) => { try { localStorage.setItem(name, value); } catch { /* a private window */ } };

// order asks the server for a change. The changed state comes with the events.
const order = (path: string, body: unknown = {}) =>
  during(fetch('/api/group' + path, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }));

function Page() {
  const [lang, setLang] = useState<Lang>(() => (stored('lang') ?? navigator.language).startsWith('zh') ? 'zh' : 'en');
  const [theme, setTheme] = useState<Theme>((stored('theme') as Theme) ?? 'system');
  const [state, setState] = useState<State | null>(null);
  const [lost, setLost] = useState(false);
  const [chosen, setChosen] = useState('');
  const words = groupWords[lang];
  const say = (t: Text) => lang === 'zh' && t.Zh ? t.Zh : t.En;
  useLayoutEffect(() => {
    document.documentElement.lang = lang;
    document.title = `${words.title} · apitrace`;
    store('lang', lang);
  }, [lang]);
  useLayoutEffect(() => {
    if (theme === 'system') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    store('theme', theme);
  }, [theme]);
  useEffect(() => {
    const events = new EventSource('/api/group/events');
    events.addEventListener('state', (e) => { setState(JSON.parse((e as MessageEvent).data)); setLost(false); });
    events.onerror = () => setLost(true);
    return () => events.close();
  }, []);
  const question = state?.question;
  const exercise = state?.exercises.find((e) => e.name === (chosen || question?.exercise)) ?? state?.exercises[0];
  return (
    <div>
      <header aria-label={words.controls}>
        <h1>apitrace · {words.title}</h1>
        <select aria-label={words.exercise} class="exercise" value={exercise?.name} onChange={(e) => setChosen(e.currentTarget.value)}>
          {state?.exercises.map((e) => <option value={e.name} selected={e === exercise}>{e.number} {say(e.title)}</option>)}
        </select>
        <button class="show" disabled={!exercise} onClick={() => order('/question', { exercise: exercise!.name })}>{words.show}</button>
        <button class="poll" disabled={!exercise?.claim} onClick={() => order('/question', { exercise: exercise!.name, poll: true })}>{words.poll}</button>
        {question?.open && <button class="close" onClick={() => order('/poll/close')}>{words.close}</button>}
        {question && <button class="down" onClick={() => order('/question', { exercise: '' })}>{words.down}</button>}
        <span class="gap" />
        <span>{words.save}</span>
        {['csv', 'json', 'md'].map((f) => <a href={`/api/group/export/${f}?lang=${lang}`} download>{f.toUpperCase()}</a>)}
        <select aria-label={words.colours} class="theme" value={theme} onChange={(e) => setTheme(e.currentTarget.value as Theme)}>
          {(['system', 'light', 'dark'] as Theme[]).map((t) => <option value={t} selected={t === theme}>{words[t]}</option>)}
        </select>
        <button class="language" lang={lang === 'en' ? 'zh' : 'en'} title={words.language} onClick={() => setLang(lang === 'en' ? 'zh' : 'en')}>{words.languageShort}</button>
      </header>
      {lost && <p class="problem" role="alert">{words.lost}</p>}
      {state && (
        <main>
          {question && <Wall question={question} state={state} words={words} text={say(question.text)} />}
          <section class="join" aria-label={words.join}>
            <p>{words.joinHow}</p>
            {state.addresses.map((a) => <p class="command">apitrace workshop join {a} --code {state.code} --name {words.yourName}</p>)}
            <p>{words.code} <span class="code">{state.code}</span></p>
          </section>
          <Learners state={state} words={words} />
        </main>
      )}
    </div>
  );
}

// Wall shows the current question. The text is from the course, as HTML without scripts.
function Wall({ question, state, words, text }: { question: Question; state: State; words: GroupWords; text: string }) {
  const most = Math.max(1, question.true + question.false);
  return (
    <section class="wall" aria-label={words.question}>
      <div class="text" dangerouslySetInnerHTML={{ __html: text }} />
      <p class="command">{question.open ? words.vote : words.jump(question.exercise)}</p>
      {question.poll && (
        <div class="votes" role="status">
          <p>{words.votes(question.votes, state.learners.length)}</p>
          {!question.open && ([[words.holds, question.true], [words.fails, question.false]] as [string, number][]).map(([word, n]) => (
            <div class="bar"><span>{word}</span><progress aria-label={`${words.result}: ${word}`} value={n} max={most} /><b>{n}</b></div>
          ))}
        </div>
      )}
    </section>
  );
}

function Learners({ state, words }: { state: State; words: GroupWords }) {
  const of = state.exercises.length;
  const number = (name: string) => state.exercises.find((e) => e.name === name)?.number ?? name;
  return (
    <section aria-label={words.progress}>
      <h2>{state.learners.length ? words.learners(state.learners.length) : words.none}</h2>
      <ul class="learners">
        {state.learners.map((l) => (
          <li key={l.id}>
            <p class="name">{l.name}</p>
            <progress aria-label={`${l.name}: ${words.passed(l.passed, of)}`} value={l.passed} max={of} />
            <p class="fact">{words.passed(l.passed, of)}</p>
            {l.current && <p class="fact">{words.at(number(l.current), words.done[l.done[l.current]])}</p>}
            {l.tries > 0 && <p class="fact">{words.tries(l.tries)}</p>}
            {state.question?.open && l.voted && <p class="voted">{words.voted}</p>}
            <button class="remove" aria-label={words.remove(l.name)} title={words.remove(l.name)} onClick={() => order('/remove', { id: l.id })}>×</button>
          </li>
        ))}
      </ul>
    </section>
  );
}

render(<Page />, document.body);
