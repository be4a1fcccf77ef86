// The keys of the page in one table. The page looks keys up in this
// table, and "?" shows the table.

import { Step, StepName } from './stepping.ts';
import { Words } from './words.ts';

interface Key { keys: string[]; words: (w: Words['keys']) => string; step?: Step }
export interface KeyGroup { title: (w: Words['keys']) => string; keys: Key[] }

const step = (name: StepName, back: boolean, ...keys: string[]): Key =>
  ({ keys, step: { name, back }, words: (w) => (back ? w.backward(w.steps[name]) : w.steps[name]) });

export const keyGroups: KeyGroup[] = [
  { title: (w) => w.stepping, keys: [
    step('into', false, 's', 'F11'), step('over', false, 'd', 'F10'), step('out', false, 'x', 'Shift+F11'), step('line', false, 'l'), step('key', false, 't'), step('story', false, 'h'),
    step('into', true, 'S'), step('over', true, 'D'), step('out', true, 'X'), step('line', true, 'L'), step('key', true, 'T'), step('story', true, 'H'),
    { keys: ['p'], words: (w) => w.play }, { keys: ['<', '>'], words: (w) => w.pace }, { keys: ['q'], words: (w) => w.close },
  ] },
  { title: (w) => w.tree, keys: [
    { keys: ['↑', '↓', 'Home', 'End', 'PageUp', 'PageDown'], words: (w) => w.move },
    { keys: ['→', '←'], words: (w) => w.fold }, { keys: ['Enter', 'Space'], words: (w) => w.select },
  ] },
  { title: (w) => w.time, keys: [
    { keys: ['↑', '↓', '←', '→'], words: (w) => w.family }, { keys: ['Enter'], words: (w) => w.select },
    { keys: ['+', '-'], words: (w) => w.zoom }, { keys: ['z'], words: (w) => w.zoomTo }, { keys: ['0'], words: (w) => w.whole },
    { keys: ['Shift+←', 'Shift+→'], words: (w) => w.pan },
  ] },
  { title: (w) => w.comparison, keys: [{ keys: ['n'], words: (w) => w.nextChange }, { keys: ['p'], words: (w) => w.changeBefore }] },
  { title: (w) => w.everywhere, keys: [{ keys: ['/'], words: (w) => w.search }, { keys: ['1', '2', '3', '4', '5'], words: (w) => w.views }, { keys: ['c'], words: (w) => w.scenario }, { keys: ['?'], words: (w) => w.help }] },
];

const bySteps = new Map(keyGroups.flatMap((g) => g.keys).flatMap((k) => (k.step ? k.keys.map((name) => [name, k.step!] as const) : [])));

export const stepOfKey = (key: string): Step | undefined => bySteps.get(key);

// keyOf returns the name of an event's key in the table.
export const keyOf = (e: KeyboardEvent) => (e.shiftKey && e.key.length > 1 ? 'Shift+' + e.key : e.key);

// typing reports whether a key goes into a field. A slider has only keys that move it.
export const typing = (e: KeyboardEvent) =>
  e.target instanceof HTMLInputElement && (e.target.type !== 'range' || /^(Arrow|Page|Home|End)/.test(e.key)) || e.target instanceof HTMLTextAreaElement || e.target instanceof HTMLSelectElement;
