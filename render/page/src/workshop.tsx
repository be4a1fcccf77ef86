import { Fragment, h } from 'preact';
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Exercise } from './exercise.tsx';
import { useAsking, useLatest, usePage } from './context.ts';
import { write } from './link.ts';
import { workshopWords, WorkshopWords } from './workshop-words.ts';

export interface Entry {
  name: string; number: string; title: string; kind: 'find' | 'order' | 'claim' | 'choose' | 'value' | 'make' | 'change'; kindTitle: string;
  minutes: number; live: boolean; available: boolean; started: boolean; passed: boolean; revealed: boolean; tries: number;
}
interface Board {
  k8sVersion: string; current: string; next: string; passed: number; exercises: number; minutes: number; notices: string[];
  chapters: { number: string; title: string; teaches: string; lesson: string; exercises: Entry[] }[];
}

export const exerciseAddress = (name: string) => write({ parts: ['workshop', name], query: {} });
// lessonAddress is that of a lesson, with the exercise from which a link leads there.
export const lessonAddress = (name: string, from?: string) => write({ parts: ['lessons', name], query: from ? { from } : {} });

// Workshop lists the exercises, or shows one. Its addresses are #/workshop, #/workshop/EXERCISE; #/workshop/lesson/LESSON is an older one of
// a lesson.
export function Workshop() {
  const { lang, address: { parts }, goTo } = usePage();
  const w = workshopWords[lang];
  const lesson = parts[1] === 'lesson';
  useEffect(() => { if (lesson) goTo({ parts: ['lessons', ...parts.slice(2)], query: {} }, true); }, [lesson]);
  if (lesson) return null;
  return parts[1] ? <Exercise key={parts[1]} name={parts[1]} w={w} /> : <List w={w} />;
}

// useFresh asks for something that changes: nothing of it is kept. update takes what comes of a change instead, unless another one has
// begun after it.
export function useFresh<T>(path: string): [T | null, (change: Promise<T>) => void] {
  const { api, lang, problem, lost } = usePage();
  const [got, setGot] = useState<{ path: string; lang: string; value: T } | null>(null);
  const begin = useLatest();
  const update = useCallback((change: Promise<T>) => {
    const wanted = begin();
    change.then((value) => { if (wanted()) setGot({ path, lang, value }); }, (e) => { if (wanted()) problem(e); });
  }, [path, lang]);
  useAsking(() => {
    api.forget(path + '?lang=' + lang);
    let left = false;
    update(api.get<T>(path, { lang }).catch((e) => { if (!left) lost(e); throw e; }));
    return () => { left = true; api.forget(path + '?lang=' + lang); };
  }, [path, lang]);
  return [got?.path === path && got.lang === lang ? got.value : null, update];
}

function List({ w }: { w: WorkshopWords }) {
  const { words } = usePage();
  const [board] = useFresh<Board>('/workshop');
  if (!board) return <p class="quiet loading">{words.loading}</p>;
  const next = board.chapters.flatMap((c) => c.exercises).find((e) => e.name === board.next);
  return (
    <div class="workshop board">
      <h1>{w.title}</h1>
      <p class="quiet">{w.intro}</p>
      {board.notices.map((n) => <p class="warning" role="alert">{n}</p>)}
      <p class="progress"><progress aria-label={w.title} max={board.exercises} value={board.passed} /> {w.progress(board.passed, board.exercises, board.minutes)}</p>
      <p>{next ? <Fragment>{w.goOn} <a class="next" href={exerciseAddress(next.name)}>{next.number} {next.title}</a></Fragment> : w.allPassed}</p>
      {board.chapters.map((c) => (
        <section aria-labelledby={'chapter' + c.number}>
          <h2 id={'chapter' + c.number}>{c.number} {c.title} <span class="quiet">{c.exercises.filter((e) => e.passed).length}/{c.exercises.length}</span>{c.lesson && <a class="lesson" href={lessonAddress(c.lesson)}>{w.lesson}</a>}</h2>
          <p class="quiet">{c.teaches}</p>
          <ul>{c.exercises.map((e) => (
            <li>
              <span class="mark" role={e.passed || e.name === board.current ? 'img' : undefined} aria-label={e.passed ? (e.revealed ? w.revealed : w.passed) : e.name === board.current ? w.current : undefined}>{e.passed ? (e.revealed ? '✓*' : '✓') : e.name === board.current ? '→' : ''}</span>
              <a href={exerciseAddress(e.name)}>{e.number} {e.title}</a>
              <span class="quiet">{[e.kindTitle, w.minutes(e.minutes), ...(e.live ? [w.live] : []), ...(e.available ? [] : [w.unavailable])].join(' · ')}</span>
            </li>
          ))}</ul>
        </section>
      ))}
    </div>
  );
}

// Html shows what Go made of Markdown, which has no script in it. Blocks of code that are too wide are scrolled with the keyboard, too. A
// link to a lesson leads to it on this page, and one to another file of the documentation is text: the page does not have it.
export function Html({ html, class: c = '' }: { html: string; class?: string }) {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    box.current!.querySelectorAll('pre').forEach((p) => { p.tabIndex = 0; });
    box.current!.querySelectorAll('a').forEach((a) => {
      const to = a.getAttribute('href') ?? '', lesson = /^([^/]+)\.(en|zh)\.md(#|$)/.exec(to);
      if (lesson) a.setAttribute('href', lessonAddress(lesson[1]));
      else if (!/^https?:/.test(to)) a.replaceWith(...a.childNodes);
    });
  }, [html]);
  return <div class={'prose ' + c} ref={box} dangerouslySetInnerHTML={{ __html: html }} />;
}
