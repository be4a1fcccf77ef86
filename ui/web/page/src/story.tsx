import { Fragment, h } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { recordingPath } from './api.ts';
import { useAsking, useLatest, usePage, useRequest } from './context.ts';
import { actorsOf, inTime, Lanes, lanesWidth } from './lanes.tsx';
import { openCall } from './map.tsx';
import { lineAt } from './stepping.ts';

export interface StoryLine { level: number; time: string; rank: number; actor: string; text: string; request: number; call: number; decided?: boolean; failed?: boolean }
interface Story { lines: StoryLine[]; remarks: string[] }

// StoryView tells what the requests of a recording caused, one line for each decision and each
// change. A line opens the call that proves it, beside the story. The line of the selected call
// is highlighted. The lines stand below their causes or, with order=time in the address, in the
// order of time, with a lane for each actor.
export function StoryView() {
  const page = usePage();
  const { api, lang, words: all, problem } = page;
  const words = all.story;
  const { place, link, change, selected } = useRequest();
  const path = recordingPath(place);
  const [story, setStory] = useState<Story | null>(null);
  const begin = useLatest();
  const chosen = story ? lineAt(story.lines, place.request, selected ?? 0) : undefined;
  const chosenRow = useRef<HTMLLIElement>(null);
  useEffect(() => { chosenRow.current?.scrollIntoView({ block: 'nearest' }); }, [chosen]);
  useAsking(() => {
    let left = false;
    api.get<Story>(path + '/story', { lang }).then((s) => left || setStory(s), (e) => left || problem(e));
    return () => { left = true; };
  }, [path, lang]);
  if (!story) return <p class="quiet loading">{all.loading}</p>;
  if (story.lines.length === 0) return <p class="quiet loading">{words.none}</p>;
  const byTime = link.more.order === 'time';
  const effects = byTime ? inTime(story.lines) : [], actors = actorsOf(effects);
  const row = (l: StoryLine) => (
    <li class={l.failed ? 'failed' : ''} ref={l === chosen ? chosenRow : undefined}>
      <button title={byTime ? l.text : undefined} aria-current={l === chosen} onClick={() => openCall(page, { ...place, request: l.request }, l.call, begin(), link.view, link.more)}>
        <span class="number" title={words.number}>{l.request}</span>
        <span class="time" title={words.time}>{l.time}</span>
        <span class="said" style={{ '--level': byTime ? 0 : l.level }}><b>{l.actor}{all.colon}</b>{l.text}</span>
      </button>
    </li>
  );
  return (
    <div class="story">
      <h1>{words.title}</h1>
      <p class="facts">{byTime ? words.helpInTime : words.help}</p>
      <label class="choice"><input type="checkbox" checked={byTime} onChange={() => change({ order: byTime ? undefined : 'time' })} />{words.byTime}</label>
      {!byTime ? <Fragment><p class="columns" aria-hidden="true"><span>#</span><span>{words.timeColumn}</span></p><ol>{story.lines.map(row)}</ol></Fragment> : (
        <div class="in-time" style={{ '--lanes': lanesWidth(actors) + 'px' }}>
          <p class="actors" aria-hidden="true">{actors.map((a) => <span>{a}</span>)}</p>
          <Lanes effects={effects} actors={actors} chosen={(e) => e.line === chosen} />
          <ol>{effects.map((e) => row(e.line))}</ol>
        </div>
      )}
      {story.remarks.map((r) => <p class="facts">{r}</p>)}
    </div>
  );
}
