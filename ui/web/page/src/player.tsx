import { CSSProperties, Fragment, h } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Layer, Position, View } from './api.ts';
import { useAsking, usePage, useRequest } from './context.ts';
import { keyOf, stepOfKey, typing } from './keys.ts';
import { paces, Step, StepName } from './stepping.ts';
import { StoryLine } from './story.tsx';
import { thousands, Words } from './words.ts';

const keptFiner = () => { try { return localStorage.getItem('finer') === 'true'; } catch { return false; } };
const keepFiner = (finer: boolean) => { try { localStorage.setItem('finer', String(finer)); } catch { /* a private window */ } };

// Player steps through the calls of a request like a debugger: by buttons, by keys, by a
// slider, or by itself at a pace. In a recording with a story, it also steps from line to
// line, through all programs. At first it shows only the main buttons. The browser keeps
// whether the reader wants the others.
export function Player({ story, step, onSeek, onClose }: {
  story: StoryLine[]; // empty if the recording has none
  step: (s: Step) => Promise<boolean>; onSeek: (number: number) => void; onClose: () => void;
}) {
  const { words, lang } = usePage();
  const { place, position, view, select } = useRequest();
  const w = words.player;
  const [playing, setPlaying] = useState(false);
  const [pace, setPace] = useState(2);
  const [by, setBy] = useState<StepName>('key');
  const [finer, setFiner] = useState(keptFiner);
  const busy = useRef(false);
  // ended is the last step if it reached no new position. at is the
  // number of the position then.
  const [ended, setEnded] = useState<{ step: Step; at: number } | null>(null);
  const go = async (s: Step) => {
    if (busy.current) return true; // steps of a key that is held down are not queued
    busy.current = true;
    try {
      const moved = await step(s);
      setEnded(moved || !position ? null : { step: s, at: position.number });
      return moved;
    } finally { busy.current = false; }
  };
  const latest = useRef(go);
  latest.current = go;

  useEffect(() => {
    if (!playing) return;
    let stopped = false, timer = 0;
    const next = async () => {
      const moved = await latest.current({ name: by, back: false });
      if (stopped) return;
      if (moved) timer = window.setTimeout(next, 1000 / paces[pace]);
      else setPlaying(false);
    };
    timer = window.setTimeout(next, 1000 / paces[pace]);
    return () => { stopped = true; clearTimeout(timer); };
  }, [playing, pace, by]);
  useEffect(() => {
    const keys = (e: KeyboardEvent) => {
      if (e.ctrlKey || e.metaKey || e.altKey || typing(e) || document.querySelector('dialog[open]')) return;
      const key = keyOf(e);
      const s = stepOfKey(key);
      if (s) { setPlaying(false); void latest.current(s); }
      else if (key === 'p') setPlaying((is) => !is);
      else if (key === '>') setPace((n) => Math.min(paces.length - 1, n + 1));
      else if (key === '<') setPace((n) => Math.max(0, n - 1));
      else if (key === 'q') onClose();
      else return;
      e.preventDefault();
    };
    addEventListener('keydown', keys);
    return () => removeEventListener('keydown', keys);
  }, [onClose]);

  const button = (name: StepName, back: boolean) => (
    <button class="step" title={w.title(w.step[name], back)} aria-label={w.title(w.step[name], back)} onClick={() => { setPlaying(false); void go({ name, back }); }}>
      {back ? `‹ ${w.step[name]}` : `${w.step[name]} ›`}
    </button>
  );
  const names: StepName[] = ['key', 'into', 'over', 'out', ...(story.length > 0 ? ['story' as const] : [])];
  const proved = position?.kind === 'entered' ? story.find((l) => l.request === place.request && l.call === position.call) : undefined;
  return (
    <section class="player" aria-label={w.player}>
      <div class="steering">
        <span class="group main">
          {button('key', true)}
          <button class="play" aria-pressed={playing} onClick={() => setPlaying(!playing)}>{playing ? `■ ${w.stop}` : `▶ ${w.play}`}</button>
          {button('key', false)}
        </span>
        <button class="finer-of" aria-expanded={finer} onClick={() => { setFiner(!finer); keepFiner(!finer); }}>{w.finer}</button>
        <div class={'finer' + (finer ? ' open' : '')}>
          <span class="group" role="group" aria-label={w.back}>{names.slice(1).map((n) => button(n, true))}</span>
          <span class="group" role="group" aria-label={w.forward}>{names.slice(1).map((n) => button(n, false))}</span>
          <span class="group pace" role="group" aria-label={w.pace}>
            <button title={w.slower} aria-label={w.slower} disabled={pace === 0} onClick={() => setPace(pace - 1)}>−</button>
            <span class="quiet">{w.perSecond(paces[pace])}</span>
            <button title={w.faster} aria-label={w.faster} disabled={pace === paces.length - 1} onClick={() => setPace(pace + 1)}>+</button>
          </span>
          <select class="by" aria-label={w.by} value={by} onChange={(e) => setBy(e.currentTarget.value as StepName)}>
            {names.filter((n) => n !== 'out').map((n) => <option value={n} selected={n === by}>{w.playBy[n]}</option>)}
          </select>
        </div>
        <span class="gap" />
        <button class="close" onClick={onClose}>{w.close}</button>
      </div>
      {position && (
        <div class="seek">
          <input type="range" min={0} max={position.total - 1} value={position.number} aria-label={w.progress} aria-valuetext={w.number(thousands(position.number + 1), thousands(position.total))}
            onInput={(e) => { setPlaying(false); onSeek(Number(e.currentTarget.value)); }} />
          {view?.sections.map((s) => (
            // For the mouse: the keyboard has the slider and the boxes of the layers.
            <button key={s.number} class="mark-of" tabIndex={-1} aria-hidden="true" title={`${s.number} ${s.title}`} onClick={() => { setPlaying(false); select(s.root.call); }}
              style={{ '--at': s.root.call / Math.max(1, view.calls), ...(s.colour ? { '--layer': s.colour } : {}) } as CSSProperties} />
          ))}
        </div>
      )}
      <div class="where">
        {position && <span class="at">{w.number(thousands(position.number + 1), thousands(position.total))}</span>}
        <p class="said" role="status" aria-live={playing ? 'off' : 'polite'}>{proved && <b>{proved.actor}{words.colon}{proved.text}. </b>}{position ? said(position, words) : words.loading}{position && ended?.at === position.number && <span class="ended">{(ended.step.name === 'key' ? w.noMoreKeys : ended.step.name === 'story' ? w.noMoreLines : w.noMore)(ended.step.back)}</span>}</p>
      </div>
      <Layers lang={lang} view={view} />
    </section>
  );
}

// said describes a position.
function said(p: Position, words: Words) {
  const w = words.player, name = p.stack[0].name;
  return (
    <Fragment>
      {p.returnedName && <span class={p.returnedError ? 'failure' : ''}>{w.returned(p.returnedName, p.returnedTime ?? '')}{p.returnedError ? ` ${words.error}: ${p.returnedError}` : ''}</span>}
      <span>{p.kind === 'entered' ? w.entered(name) : p.kind === 'calling' ? (p.nextAfterwards ? w.event(name, p.nextName ?? '') : w.calling(name, p.nextName ?? '', p.line)) : w.returning(name)}</span>
    </Fragment>
  );
}

// Layers draws the layers of the request in the order of their first calls. The layer of
// the selected call is highlighted. The layers of its callers are highlighted less.
function Layers({ lang, view }: { lang: string; view: View | null }) {
  const { api, words, problem } = usePage();
  const { path, details, position, select } = useRequest();
  const [layers, setLayers] = useState<Layer[]>([]);
  useAsking(() => {
    let left = false;
    api.get<{ items: Layer[] }>(path + '/layers', { lang }).then((l) => left || setLayers([...l.items].sort((a, b) => a.first - b.first)), (e) => left || problem(e));
    return () => { left = true; };
  }, [path, lang]);
  if (!view || !details || layers.length === 0) return null;
  const frames = position?.stack ?? [details.call, ...details.stack];
  const on = frames.filter((f) => f.layer).map((f) => f.process + '/' + f.layer);
  const processes = [...new Set(layers.map((l) => l.process))];
  return (
    <div class="layers" role="group" aria-label={words.player.layers}>
      {processes.map((process) => (
        <div class="process" role="group" aria-label={process} key={process}>
          <span class="program">{process}</span>
          <div class="boxes">
            {layers.filter((l) => l.process === process).map((l) => {
              const at = on.indexOf(process + '/' + l.layer);
              return (
                <button key={l.layer} class={'layer-box' + (at === 0 ? ' lit' : at > 0 ? ' on' : '')} aria-current={at === 0 ? 'step' : undefined}
                  style={(l.colour ? { '--layer': l.colour } : {}) as CSSProperties}
                  title={`${l.title}: ${l.calls === 1 ? words.call : words.calls(thousands(l.calls))}`} onClick={() => select(l.first)}><span>{l.title}</span></button>
              );
            })}
          </div>
        </div>
      ))}
    </div>
  );
}
