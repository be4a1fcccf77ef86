import { Fragment, h } from 'preact';
import { useMemo } from 'preact/hooks';
import { Scenario } from './api.ts';
import { usePage } from './context.ts';

// ScenarioOptions are the entries of a select: the scenarios by topic, with their
// titles.
export function ScenarioOptions({ of, value }: { of: Scenario[]; value: string }) {
  const { words } = usePage();
  const topics = useMemo(() => {
    const all = new Map<string, Scenario[]>();
    for (const s of of) all.set(s.topic, [...(all.get(s.topic) ?? []), s]);
    return [...all];
  }, [of]);
  return <Fragment>{topics.map(([topic, list]) => <optgroup label={topic}>{list.map((s) => <option value={s.name} selected={s.name === value}>{s.name === s.title ? s.name : s.name + words.colon + s.title}</option>)}</optgroup>)}</Fragment>;
}
