// The search of a page without a server. Such a page computes only this answer in another
// way than a page with a server. People may search for any text, so the answers cannot be
// stored, and a page with a server does not load all texts. The search follows the rules
// of package trace/search and trace.RankFunctions. A test compares the results.

import { Hit, HitList } from './api.ts';

// A SearchPiece has all texts, with the scenarios that have them, in
// the order of search results.
export interface SearchPiece {
  kinds: Hit['kind'][]; texts: string[]; shorts: Record<string, string>;
  // places has each list of a hit's places once. place has one entry per text: the
  // index of its list.
  places: Hit['places'][]; place: number[];
}

// search finds functions, recorded values and errors by a part of their text. The best
// matches come first.
export function search(piece: SearchPiece, text: string, from: number, limit: number): HitList {
  const ranks = ranked(text, piece.texts.filter((_, i) => piece.kinds[i] === 'function')), small = lower(text);
  const rank = (i: number) => (piece.kinds[i] === 'function' ? ranks.get(piece.texts[i]) ?? 0 : 0);
  let all: number[] = [];
  piece.texts.forEach((t, i) => {
    if (piece.kinds[i] === 'function' ? ranks.has(t) : lower(t).includes(small)) all.push(i);
  });
  const words = small.split(/\s+/).filter((word) => word !== '');
  if (all.length === 0 && words.length > 1) all = piece.texts.map((_, i) => i).filter((i) => words.every((word) => beginsWord(piece.texts[i], word)));
  // A value is left out if it has the text of an error in the same recordings.
  const errors = new Map(all.filter((i) => piece.kinds[i] === 'error').map((i) => [piece.texts[i], piece.place[i]]));
  const isTwin = (i: number) => piece.kinds[i] === 'value' && errors.get(piece.texts[i].slice(piece.texts[i].indexOf('=') + 1)) === piece.place[i];
  const found = all.filter((i) => !isTwin(i));
  found.sort((a, b) => rank(a) - rank(b) || a - b);
  const items = found.slice(from, from + limit).map((i): Hit => ({
    kind: piece.kinds[i], text: piece.texts[i], short: piece.shorts[i] ?? piece.texts[i], places: piece.places[piece.place[i]],
    ...(rank(i) > 0 ? { behind: true } : {}),
  }));
  return { total: found.length, from: Math.min(from, found.length), items };
}

// ranked returns the names that a pattern may mean, with their ranks. It compares in
// several ways. Rank 0 is for the names that the first successful way finds. Higher ranks
// are for names that only later ways find. Names that end with the pattern, apart from
// marks, come before names that contain a part of it.
function ranked(pattern: string, names: string[]): Map<string, number> {
  const wild = wildcards(pattern), plain = unmarked(wild), part = expression('...' + lower(plain).replace(/^\.+|\.+$/g, '') + '...');
  const strict = ending(pattern), folded = ending(lower(wild)), exact = ending(plain), alike = ending(lower(plain));
  const ranks = new Map<string, number>();
  let rank = 0;
  for (const matches of [
    (name: string) => strict.test(name),
    (name: string) => folded.test(lower(name)),
    (name: string) => exact.test(unmarked(name)),
    (name: string) => alike.test(lower(unmarked(name))),
    (name: string) => beginsWord(name.slice(name.lastIndexOf('/') + 1), lower(pattern)),
    (name: string) => part.test(lower(name)) || part.test(lower(unmarked(name))),
  ]) {
    const before = ranks.size;
    for (const name of names) if (!ranks.has(name) && matches(name)) ranks.set(name, rank);
    if (ranks.size > before) rank++;
  }
  return ranks;
}

// beginsWord finds a text at the beginning of a word.
function beginsWord(name: string, text: string): boolean {
  const all = lower(name);
  for (let i = all.indexOf(text); i >= 0; i = all.indexOf(text, i + 1)) {
    const at = name.slice(i, i + 2), before = name.slice(0, i).slice(-1);
    if (i === 0 || (/^[A-Z]/.test(at) ? !/[A-Z]/.test(before) || /^.[a-z]/.test(at) : !/[a-zA-Z]/.test(before))) return true;
  }
  return false;
}

// ending returns the expression for names that end with a pattern, or that are the
// pattern if it has a whole import path.
const ending = (p: string) => expression(/^[^/]*\.[^/]*\//.test(p) || p.startsWith('...') ? p : '...' + p);

// expression returns the expression for a pattern. "..." stands for any text, except in
// "[...]", which is part of a name.
const expression = (p: string) => new RegExp('^' + p.replaceAll('[...]', '\x01').replace(/\.\.\.$/, '\x02').replaceAll('...', '\x02')
  .replace(/[.*+?^$\\(){}|[\]]/g, '\\$&').replaceAll('\x02', '[^]*').replaceAll('\x01', '\\[\\.\\.\\.\\]') + '$');

// lower is Go's strings.ToLower: it maps each letter separately, without special rules
// of languages.
const lower = (text: string) => /^[\x00-\x7f]*$/.test(text) ? text.toLowerCase() : [...text].map((c) => (c === 'İ' ? 'i' : c.toLowerCase())).join('');

const unmarked = (name: string) => name.replace(/\[\.\.\.\]|\(\*|\(|\)/g, '');

const wildcards = (p: string) => p.replaceAll('(*', '(\0').replace(/\*+/g, '*').replaceAll('*', '...').replaceAll('(\0', '(*');
