// The rows of a merged tree, and the target of a link in it.

import { DiffSection, DiffStep, DiffTree } from './compare-data.ts';
import { CallName } from './link.ts';

export type DiffRow =
  | { kind: 'section'; key: string; level: 1; section: DiffSection; open: boolean }
  | { kind: 'step' | 'link'; key: string; level: number; step: DiffStep; last: boolean }
  // A ghost marks the old place of a moved call, below its old caller.
  | { kind: 'ghost'; key: string; level: number; step: DiffStep; last: boolean };

export function diffRows(tree: DiffTree, closed: ReadonlySet<string>): DiffRow[] {
  const moved = new Map<number, DiffStep[]>(); // by the step of the old caller
  const steps = allSteps(tree);
  for (const s of steps) if (s.was && s.was.step >= 0) moved.set(s.was.step, [...(moved.get(s.was.step) ?? []), s]);
  const rows: DiffRow[] = [];
  const add = (step: DiffStep, level: number, last: boolean, top: boolean) => {
    if (step.section && !top) {
      rows.push({ kind: 'link', key: 'l' + step.call, level, step, last });
      return;
    }
    const ghosts = moved.get(step.call) ?? [];
    rows.push({ kind: 'step', key: 'c' + step.call, level, step, last });
    const children = childrenOf(step);
    children.forEach((child, i) => add(child, level + 1, i === children.length - 1 && ghosts.length === 0, false));
    ghosts.forEach((g, i) => rows.push({ kind: 'ghost', key: `g${g.call}`, level: level + 1, step: g, last: i === ghosts.length - 1 }));
  };
  for (const section of tree.sections) {
    const key = 's' + section.number;
    rows.push({ kind: 'section', key, level: 1, section, open: !closed.has(key) });
    if (closed.has(key)) continue;
    if (section.instead) add(section.instead, 2, false, true);
    add(section.root, 2, true, true);
  }
  return rows;
}

// childrenOf returns the steps that a step called, except the steps that begin a section.
const childrenOf = (step: DiffStep) => step.children.filter((child) => !child.elsewhere);

// allSteps lists the steps in order, each once.
export function allSteps(tree: DiffTree): DiffStep[] {
  const all: DiffStep[] = [];
  const add = (step: DiffStep, top: boolean) => {
    if (step.section && !top) return;
    all.push(step);
    for (const child of childrenOf(step)) add(child, false);
  };
  for (const section of tree.sections) {
    if (section.instead) add(section.instead, true);
    add(section.root, true);
  }
  return all;
}

// linkTo returns the row with the link to a section, or -1.
export const linkTo = (rows: DiffRow[], section: number) => rows.findIndex((r) => r.kind === 'link' && r.step.section === section);

// holds reports whether a call belongs to a step.
export const holds = (step: DiffStep, call: number) => step.call === call || (step.calls ?? []).includes(call);

// locate finds the step that a link names, or the most similar step. A handwritten link
// may name no caller. Then it means the calls of the function by any caller.
export function locate(tree: DiffTree, name: CallName): { step?: DiffStep; exact: boolean } {
  const steps = allSteps(tree).filter((s) => s.function === name.function || s.a?.function === name.function);
  const below = steps.filter((s) => s.caller === name.caller);
  const exact = below.find((s) => s.nth === name.nth) ?? (name.caller ? undefined : steps[name.nth - 1]);
  return { step: exact ?? below[0] ?? steps[0], exact: !!exact };
}
