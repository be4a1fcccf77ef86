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
export interface Board {
  k8sVersion: string; current: string; next: string; passed: number; exercises: number; minutes: number; releases: string[]; notices: string[];
  chapters: { number: string; title: string; teaches: string; lesson: string; exercises: Entry[] }[];
}

// k8s is the release with the recordings that decide whether an answer is right. All
// addresses of the workshop have it. It is empty for the latest release.
export const boardAddress = (k8s: string) => write({ parts: ['workshop'], query: k8s ? { k8s } : {} });
export const exerciseAddress = (name: string, k8s: string) => write({ parts: ['workshop', name], query: k8s ? { k8s } : {} });
// lessonAddress returns the address of a lesson. from is the
// exercise that links to the lesson.
export const lessonAddress = (name: string, from = '', k8s = '') => write({ parts: ['lessons', name], query: { ...(from ? { from } : {}), ...(k8s ? { k8s } : {}) } });

// Workshop lists the exercises (#/workshop), or shows one (#/workshop/EXERCISE). Both
// addresses have ?k8s=RELEASE if it is not the latest release. #/workshop/lesson/LESSON
// is an old address of a lesson.
export function Workshop() {
  const { lang, address: { parts, query }, goTo } = usePage();
  const w = workshopWords[lang];
  const lesson = parts[1] === 'lesson';
  useEffect(() => { if (lesson) goTo({ parts: ['lessons', ...parts.slice(2)], query: {} }, true); }, [lesson]);
  if (lesson) return null;
  return parts[1] ? <Exercise key={parts[1] + query.k8s} name={parts[1]} k8s={query.k8s ?? ''} w={w} /> : <List k8s={query.k8s ?? ''} w={w} />;
}

// useFresh requests data that can change, of a release or of the latest release, and does
// not keep the answers. The returned function shows the result of a change as the data,
// unless another change has begun since.
export function useFresh<T>(path: string, k8s = ''): [T | null, (change: Promise<T>) => void] {
  const { api, lang, problem, lost } = usePage();
  const [got, setGot] = useState<{ of: string; value: T } | null>(null);
  const of = `${path}?lang=${lang}${k8s && '&k8s=' + encodeURIComponent(k8s)}`;
  const begin = useLatest();
  const update = useCallback((change: Promise<T>) => {
    const wanted = begin();
    change.then((value) => { if (wanted()) setGot({ of, value }); }, (e) => { if (wanted()) problem(e); });
  }, [of]);
  useAsking(() => {
    api.forget(of);
    let left = false;
    update(api.get<T>(path, { lang, ...(k8s ? { k8s } : {}) }).catch((e) => { if (!left) lost(e); throw e; }));
    return () => { left = true; api.forget(of); };
  }, [of]);
  return [got?.of === of ? got.value : null, update];
}

function List({ k8s, w }: { k8s: string; w: WorkshopWords }) {
  const { words, goTo } = usePage();
  const [board] = useFresh<Board>('/workshop', k8s);
  if (!board) return <p class="quiet loading">{words.loading}</p>;
  const has = board.releases.includes(board.k8sVersion), newest = board.releases.at(-1) ?? '';
  const choose = (release: string) => goTo({ parts: ['workshop'], query: { k8s: release } });
  const next = board.chapters.flatMap((c) => c.exercises).find((e) => e.name === board.next);
  return (
    <div class="workshop board">
      <h1>{w.title}</h1>
      <p class="quiet">{w.intro}</p>
      {board.notices.map((n) => <p class="warning" role="alert">{n}</p>)}
      <p><label class="of">{words.release} <select value={board.k8sVersion} onChange={(e) => choose(e.currentTarget.value)}>
        {[...has ? [] : [board.k8sVersion], ...board.releases].reverse().map((r) => <option value={r} selected={r === board.k8sVersion}>{r}</option>)}
      </select></label></p>
      <p class="progress"><progress aria-label={w.title} max={board.exercises} value={board.passed} /> {w.progress(board.passed, board.exercises, board.minutes)}</p>
      <p class="going">{next ? <Fragment>{w.goOn} <a class="next" href={exerciseAddress(next.name, k8s)}>{next.number} {next.title}</a></Fragment>
        : !has ? <Fragment>{w.none(board.k8sVersion)} <a class="next" href={boardAddress(newest)}>{w.with(newest)}</a></Fragment>
        : board.passed < board.exercises ? w.allOf(board.k8sVersion) : w.allPassed}</p>
      {board.chapters.map((c) => (
        <section aria-labelledby={'chapter' + c.number}>
          <h2 id={'chapter' + c.number}>{c.number} {c.title} <span class="quiet">{c.exercises.filter((e) => e.passed).length}/{c.exercises.length}</span>{c.lesson && <a class="lesson" href={lessonAddress(c.lesson, '', k8s)}>{w.lesson}</a>}</h2>
          <p class="quiet">{c.teaches}</p>
          <ul>{c.exercises.map((e) => (
            <li>
              <span class="mark" role={e.passed || e.name === board.current ? 'img' : undefined} aria-label={e.passed ? (e.revealed ? w.revealed : w.passed) : e.name === board.current ? w.current : undefined}>{e.passed ? (e.revealed ? '✓*' : '✓') : e.name === board.current ? '→' : ''}</span>
              <a href={exerciseAddress(e.name, k8s)}>{e.number} {e.title}</a>
              <span class="quiet">{[e.kindTitle, w.minutes(e.minutes), ...(e.live ? [w.live] : []), ...(e.available ? [] : [w.unavailable])].join(' · ')}</span>
            </li>
          ))}</ul>
        </section>
      ))}
    </div>
  );
}

// Html shows HTML that Go made from Markdown, without scripts. The keyboard can
// scroll wide blocks of code. A link to a lesson leads to the lesson on this
// page. A link to another file of the documentation becomes text, because the
// page does not have the file.
export function Html({ html, class: c = '' }: { html: string; class?: string }) {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    box.current!.querySelectorAll('pre').forEach((p) => { p.tabIndex = 0; });
    box.current!.querySelectorAll('a').forEach((a) => {
      const to = a.getAttribute('href') ?? '', lesson = /^([^/]+)\.(en|zh)\.md(#|$)/.exec(to);
      if (lesson) a.setAttribute('href', lessonAddress(lesson[1]));
      else if (!/^(https?:|#\/)/.test(to)) a.replaceWith(...a.childNodes);
    });
  }, [html]);
  return <div class={'prose ' + c} ref={box} dangerouslySetInnerHTML={{ __html: html }} />;
}
