import { Fragment, h } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useAsking, usePage } from './context.ts';
import { guideWords } from './guide-words.ts';
import { write } from './link.ts';
import { exerciseAddress, Html, lessonAddress, useFresh } from './workshop.tsx';

interface LessonTitle { name: string; title: string; kind: 'course' | 'reference' | 'leaders' }

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
  if (address.parts[1] && api.live) return <Lesson key={address.parts[1]} name={address.parts[1]} all={lessons ?? []} />;
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
              {lessons.filter((l) => l.kind === kind).map((l) => <li key={l.name}><a href={api.live ? lessonAddress(l.name) : `lessons/${l.name}.${lang}.html`}>{l.title}</a></li>)}
            </List>
          </Fragment>
        );
      })}
    </div>
  );
}

// Lesson shows a lesson, and leads to the lessons of its kind before and after it.
function Lesson({ name, all }: { name: string; all: LessonTitle[] }) {
  const { lang, words, address } = usePage();
  const [lesson] = useFresh<{ text: string }>('/workshop/lessons/' + encodeURIComponent(name));
  const { from, k8s = '' } = address.query;
  useEffect(() => document.querySelector('main')?.scrollTo(0, 0), []);
  const row = all.filter((l) => l.kind === all.find((m) => m.name === name)?.kind), at = row.findIndex((l) => l.name === name);
  const before = row[at - 1], next = at < 0 ? undefined : row[at + 1];
  return (
    <div class="workshop lesson">
      <p><a href={from ? exerciseAddress(from, k8s) : write({ parts: ['lessons'], query: {} })}>‹ {from ? guideWords[lang].toExercise : guideWords[lang].allLessons}</a></p>
      {lesson ? <Html html={lesson.text} /> : <p class="quiet">{words.loading}</p>}
      {lesson && (before || next) && (
        <nav class="lesson-on" aria-label={guideWords[lang].lessons}>
          {before && <a class="lesson-before" href={lessonAddress(before.name)}>‹ {before.title}</a>}
          {next && <a class="lesson-next" href={lessonAddress(next.name)}>{guideWords[lang].next}{words.colon}{next.title} ›</a>}
        </nav>
      )}
    </div>
  );
}
