import { ComponentChildren, h } from 'preact';
import { useMemo } from 'preact/hooks';
import { Scenario } from './api.ts';
import { pairingAddress } from './compare-data.ts';
import { usePage } from './context.ts';
import { showHelp } from './help.tsx';
import { wordsOf } from './search.tsx';
import { firstPlace, firstView, recordingAddress, requestAddress, write } from './link.ts';

// Start says what the page is, leads on, and lists the scenarios. Its address is
// #/start?text=TEXT, or empty. TEXT filters the scenarios. If
// one is left, Enter in the field of the filter opens it.
export function Start() {
  const { api, words: common, address, goTo, scenarios, releases } = usePage();
  const words = common.start;
  const text = address.query.text ?? '';
  const topics = useMemo(() => {
    const all = new Map<string, Scenario[]>(), wanted = wordsOf(text);
    for (const s of scenarios) {
      const about = `${s.name} ${s.title} ${s.teaches} ${s.description} ${s.topic}`.toLowerCase();
      if (!wanted.every((w) => about.includes(w))) continue;
      all.set(s.topic, [...(all.get(s.topic) ?? []), s]);
    }
    const starts = (list: Scenario[]) => Number(list.some((s) => s.name === 'boot'));
    return [...all].sort(([, a], [, b]) => starts(a) - starts(b)); // a newcomer sees requests first
  }, [scenarios, text]);
  if (scenarios.length === 0 || releases.length === 0) return <p class="quiet loading">{common.loading}</p>;
  const left = topics.flatMap(([, list]) => list), only = text && left.length === 1 ? left[0] : null;
  const filter = (to: string) => goTo({ parts: ['start'], query: to ? { text: to } : {} }, true);
  const newest = releases[0].k8sVersion, oldest = releases[releases.length - 1].k8sVersion;
  const recorded = scenarios.filter((s) => s.description !== '').length || scenarios.length;
  const first = firstPlace(), compared = scenarios.find((s) => s.name === 'create-deployment' && s.releases.length > 1) ?? scenarios.find((s) => s.releases.length > 1);
  return (
    <div class="start">
      <h1>{words.title}</h1>
      <p class="lead">{newest === oldest ? words.leadOne(recorded, newest) : words.lead(recorded, oldest, newest)}</p>
      <nav class="doors" aria-label={words.doors}>
        <Door to={write(requestAddress({ place: first, view: firstView, more: {} }))} name={words.read}>{words.readHelp}</Door>
        {compared && <Door to={write(pairingAddress({ scenarios: false, common: compared.name, from: compared.releases[1], to: compared.releases[0] }))} name={words.compare}>{words.compareHelp(compared.name, compared.releases[1], compared.releases[0])}</Door>}
        <Door to="#/lessons" name={words.learn} also={api.live && <p class="beside-door"><a href="#/workshop">{words.exercises}</a> <span class="quiet">{words.exercisesHelp}</span></p>}>{words.learnHelp}</Door>
        {api.live ? <Door to="#/servers" name={words.run}>{words.runHelp}</Door>
          : <div class="door"><b>{words.run}</b><p>{words.runElsewhere} <code>apitrace web</code></p></div>}
      </nav>
      <h2>{words.scenarios}</h2>
      <p class="filter"><input type="search" value={text} placeholder={words.filter} aria-label={words.filter} onInput={(e) => filter(e.currentTarget.value)} onKeyDown={(e) => { if (e.key === 'Enter' && !e.isComposing && only) goTo(recordingAddress(only)); }} /> <button class="link" onClick={showHelp}>{words.signs} (?)</button></p>
      {topics.length === 0 && <p class="empty">{words.none(text)} <a href={write({ parts: ['search'], query: { text } })}>{words.searchFor(text)}</a> · <button class="link" onClick={() => filter('')}>{words.all}</button></p>}
      {topics.map(([topic, list]) => (
        <section key={topic} aria-label={topic}>
          <h3>{topic} <span class="quiet">{list.length}</span></h3>
          <ul class="cards">{list.map((s) => <Card key={s.name} s={s} oldest={oldest} />)}</ul>
        </section>
      ))}
    </div>
  );
}

function Door({ to, name, children, also }: { to: string; name: string; children: ComponentChildren; also?: ComponentChildren }) {
  return <div class="door"><a href={to}>{name}</a><p>{children}</p>{also}</div>;
}

// Card is a scenario. It leads to its newest recording.
function Card({ s, oldest }: { s: Scenario; oldest: string }) {
  const { words: { start: words } } = usePage();
  const since = s.releases[s.releases.length - 1];
  return (
    <li class="card">
      <a href={write(recordingAddress(s))}>{s.title}</a>
      {s.title !== s.name && <p class="name-of-card">{s.name}{since !== oldest && <span class="quiet"> {words.since(since)}</span>}</p>}
      {s.teaches && <p>{s.teaches}</p>}
    </li>
  );
}
