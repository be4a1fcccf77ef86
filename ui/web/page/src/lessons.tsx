import { Fragment, h } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useBeside } from './beside.tsx';
import { useAsking, usePage } from './context.ts';
import { guideWords } from './guide-words.ts';
import { parse, requestAddress, write } from './link.ts';
import { roomy } from './request.tsx';
import { Board, exerciseAddress, Html, lessonAddress, useFresh } from './workshop.tsx';

interface LessonTitle { name: string; title: string; kind: 'course' | 'reference' | 'leaders'; says: string; minutes: number; exercises: { name: string; minutes: number }[] }

// Lessons lists the lessons (#/lessons), or shows one
// (#/lessons/NAME?from=EXERCISE). from is the exercise that the reader came from. A
// site has a separate page for each lesson instead.
export function Lessons() {
  const { api, lang, words: common, address, problem } = usePage();
  const words = guideWords[lang];
  const [lessons, setLessons] = useState<LessonTitle[] | null>(null);
  useAsking(() => {
    let left = false;
    api.get<{ items: LessonTitle[] }>('/workshop/lessons', { lang }).then((l) => left || setLessons(l.items), (e) => left || problem(e));
    return () => { left = true; };
  }, [lang]);
  const passed = usePassed();
  if (address.parts[1] && api.live) return <Lesson key={address.parts[1]} name={address.parts[1]} all={lessons ?? []} passed={passed} />;
  if (!lessons) return <p class="quiet loading">{common.loading}</p>;
  return (
    <div class="guide">
      <h1>{words.lessons}</h1>
      <p class="facts">{words.lessonsHelp}</p>
      {(['course', 'reference', 'leaders'] as const).map((kind) => {
        const List = kind === 'course' ? 'ol' : 'ul'; // the lessons of the course have numbers
        return (
          <Fragment key={kind}>
            <h2>{words.kinds[kind]}</h2>
            <List class="lessons-of">
              {lessons.filter((l) => l.kind === kind).map((l) => <li key={l.name}><a href={api.live ? lessonAddress(l.name) : `lessons/${l.name}.${lang}.html`}>{l.title}</a>
                <span class="lesson-says">{l.says} <span class="quiet">{[words.toRead(l.minutes), ...(l.exercises.length > 0 ? [words.exercises(l.exercises.length, l.exercises.reduce((n, e) => n + e.minutes, 0))] : []), ...(l.exercises.some((e) => passed.has(e.name)) ? [words.passed(l.exercises.filter((e) => passed.has(e.name)).length, l.exercises.length)] : [])].join(' · ')}</span></span></li>)}
            </List>
          </Fragment>
        );
      })}
    </div>
  );
}

// usePassed returns the names of the exercises that the learner has passed.
function usePassed(): Set<string> {
  const { api, lang, address } = usePage();
  const [passed, setPassed] = useState<Set<string>>(new Set());
  useAsking(() => {
    if (!api.live) return;
    let left = false;
    api.forget('/workshop?lang=' + lang); // another process may have changed it
    api.get<Board>('/workshop', { lang }).then((b) => left || setPassed(new Set(b.chapters.flatMap((c) => c.exercises).filter((e) => e.passed).map((e) => e.name))), () => {}); // the list is also of use without it
    return () => { left = true; };
  }, [lang, address.parts[1]]);
  return passed;
}

// Lesson shows a lesson, leads to the exercises of its chapter, and leads to the lessons of its kind before and after it.
// A call in a tree of the lesson opens beside the lesson, if there is room.
function Lesson({ name, all, passed }: { name: string; all: LessonTitle[]; passed: Set<string> }) {
  const { lang, words, address } = usePage();
  const g = guideWords[lang];
  const [lesson] = useFresh<{ text: string }>('/workshop/lessons/' + encodeURIComponent(name));
  const { link, show, draw } = useBeside(['from', 'k8s'], null);
  const { from, k8s = '' } = address.query;
  const box = useRef<HTMLDivElement>(null);
  // The link that was followed last stays where it is while the trace opens or closes.
  const followed = useRef<{ link: Element; top: number } | null>(null);
  const topOf = (link: Element) => link.getBoundingClientRect().top;
  useLayoutEffect(() => {
    const { current: last } = followed;
    if (last) (link ? box.current : document.querySelector('main'))?.scrollBy(0, topOf(last.link) - last.top);
  }, [!link]);
  const close = () => {
    if (followed.current) followed.current.top = topOf(followed.current.link);
    show(null);
  };
  useEffect(() => { box.current?.scrollTo(0, 0); document.querySelector('main')?.scrollTo(0, 0); }, [name]);
  const row = all.filter((l) => l.kind === all.find((m) => m.name === name)?.kind), at = row.findIndex((l) => l.name === name);
  const exercises = all.find((l) => l.name === name)?.exercises ?? [];
  const before = row[at - 1], next = at < 0 ? undefined : row[at + 1];
  const follow = (e: MouseEvent) => {
    const a = (e.target as Element).closest?.('.transcript a');
    if (!a || !roomy() || e.ctrlKey || e.metaKey || e.shiftKey) return;
    e.preventDefault();
    followed.current = { link: a, top: topOf(a) };
    show(parse(a.getAttribute('href')!));
  };
  return (
    <div class={'workshop lesson' + (link ? ' beside' : '')}>
      <div class="question" ref={box} onClick={follow}>
        <p><a href={from ? exerciseAddress(from, k8s) : write({ parts: ['lessons'], query: {} })}>‹ {from ? g.toExercise : g.allLessons}</a></p>
        {lesson ? <Html html={lesson.text} /> : <p class="quiet">{words.loading}</p>}
        {lesson && exercises.length > 0 && <p class="lesson-exercises"><a class="go" href={exerciseAddress((exercises.find((e) => !passed.has(e.name)) ?? exercises[0]).name, k8s)}>{g.toExercises(exercises.length)}</a> <span class="quiet">{g.passed(exercises.filter((e) => passed.has(e.name)).length, exercises.length)}</span></p>}
        {lesson && (before || next) && (
          <nav class="lesson-on" aria-label={g.lessons}>
            {before && <a class="lesson-before" href={lessonAddress(before.name)}>‹ {before.title}</a>}
            {next && <a class="lesson-next" href={lessonAddress(next.name)}>{g.next}{words.colon}{next.title} ›</a>}
          </nav>
        )}
      </div>
      {draw(g.beside, link && <p class="tools"><a href={write(requestAddress(link))}>{g.alone}</a><button class="quiet" onClick={close}>{words.close} ✕</button></p>)}
    </div>
  );
}
