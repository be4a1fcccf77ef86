import { Fragment, h } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Problem } from './api.ts';
import { usePage } from './context.ts';
import { Progress } from './live.tsx';
import { Building } from './live-state.ts';
import { liveWords } from './live-words.ts';
import { cancelled, sendLines } from './send.ts';

interface FetchLine { progress?: Building; done?: boolean; error?: Problem }

// FetchSources is a button that fetches the source of a program of a release, and shows
// the progress. It calls done when the source is there.
export function FetchSources({ process, release, done }: { process: string; release: string; done: () => void }) {
  const { lang, words } = usePage();
  const [running, setRunning] = useState<AbortController | null>(null);
  const [progress, setProgress] = useState<Building | null>(null);
  const [wrong, setWrong] = useState('');
  const left = useRef<AbortController | null>(null);
  useEffect(() => () => left.current?.abort(), []); // the source is no longer wanted
  const begin = () => {
    const control = left.current = new AbortController();
    setRunning(control);
    setWrong('');
    let there = false;
    sendLines<FetchLine>(`/releases/${encodeURIComponent(release)}/sources`, { process }, control.signal, (l) => {
      if (l.progress) setProgress(l.progress);
      if (l.error) setWrong(l.error.message);
      there = !!l.done;
    }).catch((e) => { if (!cancelled(e)) setWrong(String(e.message ?? e)); }).finally(() => {
      if (left.current !== control) return;
      setRunning(null);
      setProgress(null);
      if (there) done();
    });
  };
  return (
    <Fragment>
      <p class="fetch">{running
        ? <button onClick={() => running.abort()}>{liveWords[lang].cancel}</button>
        : <button onClick={begin}>{words.fetchSources(process, release)}</button>}</p>
      <div aria-live="polite">{progress && <Progress of={progress} w={liveWords[lang]} />}{wrong && <p class="failure">{wrong}</p>}</div>
    </Fragment>
  );
}
