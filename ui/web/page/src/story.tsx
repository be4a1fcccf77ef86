import { h } from 'preact';
import { useState } from 'preact/hooks';
import { recordingPath } from './api.ts';
import { useAsking, useLatest, usePage, useRequest } from './context.ts';
import { openCall } from './map.tsx';

interface StoryLine { level: number; time: string; actor: string; text: string; request: number; call: number; failed?: boolean }
interface Story { lines: StoryLine[]; remarks: string[] }

// StoryView tells what the requests of a recording caused, one line for each decision and each
// change. A line opens the call that proves it, beside the story.
export function StoryView() {
  const page = usePage();
  const { api, lang, words: all, problem } = page;
  const words = all.story;
  const { place, link } = useRequest();
  const path = recordingPath(place);
  const [story, setStory] = useState<Story | null>(null);
  const begin = useLatest();
  useAsking(() => {
    let left = false;
    api.get<Story>(path + '/story', { lang }).then((s) => left || setStory(s), (e) => left || problem(e));
    return () => { left = true; };
  }, [path, lang]);
  if (!story) return <p class="quiet loading">{all.loading}</p>;
  if (story.lines.length === 0) return <p class="quiet loading">{words.none}</p>;
  return (
    <div class="story">
      <h1>{words.title}</h1>
      <p class="facts">{words.help}</p>
      <ol>
        {story.lines.map((l) => (
          <li class={l.failed ? 'failed' : ''}>
            <button aria-current={l.request === place.request} onClick={() => openCall(page, { ...place, request: l.request }, l.call, begin(), link.view)}>
              <span class="number" title={words.number}>{l.request}</span>
              <span class="time" title={words.time}>{l.time}</span>
              <span class="said" style={{ '--level': l.level }}><b>{l.actor}{all.colon}</b>{l.text}</span>
            </button>
          </li>
        ))}
      </ol>
      {story.remarks.map((r) => <p class="facts">{r}</p>)}
    </div>
  );
}
