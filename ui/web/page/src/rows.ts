// The rows of the tree: the steps of the view, and the calls that the reader opened.

import { Call, Section, Step, View } from './api.ts';

export type Row =
  | { kind: 'section'; key: string; level: 1; section: Section; open: boolean }
  | { kind: 'step' | 'link'; key: string; level: number; step: Step; call: number; through: number; open?: boolean; last: boolean }
  | { kind: 'call'; key: string; level: number; info: Call; call: number; open?: boolean; last: boolean }
  | { kind: 'more'; key: string; level: number; of: number; left: number };

// The calls that the reader opened. The key is the number of a caller. The value has the
// calls that it made and that are loaded.
export type Opened = ReadonlyMap<number, { items: Call[]; total: number }>;

export function rowsOf(view: View, opened: Opened, closed: ReadonlySet<string>): Row[] {
  const rows: Row[] = [];
  for (const section of view.sections) {
    const key = `s${section.number}`;
    rows.push({ kind: 'section', key, level: 1, section, open: !closed.has(key) });
    if (!closed.has(key)) addStep(section.root, 2, true);
  }
  return rows;

  function addStep(step: Step, level: number, last: boolean) {
    const key = `c${step.call}`;
    if (step.section) {
      const title = view.sections[step.section - 1].title;
      rows.push({ kind: 'link', key: 'l' + step.call, level, step: { ...step, name: title }, call: step.call, through: step.through, last });
      return;
    }
    const has = step.children.length > 0 || opened.has(step.call);
    rows.push({ kind: 'step', key, level, step, call: step.call, through: step.through, open: has ? !closed.has(key) : undefined, last });
    if (has && !closed.has(key)) addBelow(step.call, step.children, level + 1);
  }

  // addBelow adds the rows below a call. If the call is opened, it adds all calls that
  // the call made, with the steps below them. Otherwise it adds the steps.
  function addBelow(call: number, steps: Step[], level: number) {
    const made = opened.get(call);
    if (!made) {
      steps.forEach((step, i) => addStep(step, level, i === steps.length - 1));
      return;
    }
    const merged = new Set(steps.flatMap((s) => s.calls?.slice(1) ?? []));
    const left = made.total - made.items.length;
    made.items.forEach((info, i) => {
      if (merged.has(info.index)) return;
      const last = i === made.items.length - 1 && !left;
      const own = steps.find((s) => s.call === info.index);
      if (own) {
        addStep({ ...own, through: 0 }, level, last);
        return;
      }
      const inside = steps.filter((s) => s.call > info.index && s.call <= info.index + info.below);
      const key = `c${info.index}`;
      const has = inside.length > 0 || opened.has(info.index);
      rows.push({ kind: 'call', key, level, info, call: info.index, open: has ? !closed.has(key) : info.made > 0 ? false : undefined, last });
      if (has && !closed.has(key)) addBelow(info.index, inside, level + 1);
    });
    if (left > 0) rows.push({ kind: 'more', key: 'm' + call, level, of: call, left });
  }
}

// shownAt returns the index of the row that shows a call, or -1.
export function shownAt(rows: Row[], call: number): number {
  const own = rows.findIndex((r) => (r.kind === 'step' || r.kind === 'call') && r.call === call);
  if (own >= 0) return own;
  return rows.findIndex((r) => r.kind === 'step' && r.step.calls?.includes(call));
}

// sectionOf returns the key of the section that has a call as a step, or undefined.
export function sectionOf(view: View, call: number): string | undefined {
  const has = (step: Step): boolean => !step.section && (step.call === call || !!step.calls?.includes(call) || step.children.some(has));
  const section = view.sections.find((s) => has(s.root));
  return section && `s${section.number}`;
}

// firstCall returns the call that a reader sees first: where the error of a failed
// request began, or else the first key step.
export function firstCall(view: View): number {
  if (view.errorPath) return view.errorPath[0].call;
  const key = (step: Step): Step | undefined => (step.key && !step.section ? step : step.children.map(key).find((s) => s));
  return view.sections.map((s) => key(s.root)).find((s) => s)?.call ?? 0;
}

// firstStep returns the call at which the step player begins: the first call of a request, or the
// first phase of a program's start. The first call of a program is code of Go's runtime.
export const firstStep = (view: View) => (view.request.startsWith('START ') ? view.sections[0]?.sentences[0]?.call ?? 0 : 0);
