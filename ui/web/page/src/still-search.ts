// The search of a page without a server. It follows the rules of package trace/search
// and trace.RankFunctions.

import { Hit, HitList } from './api.ts';

// A SearchPiece has all texts, with the scenarios that have them. They are in the order
// of an answer to a search for all texts.
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
  const rank = (i: number) => (piece.kinds[i] === 'function' ? ranks.get(piece.texts[i])! : 0);
  const all: number[] = [];
  piece.texts.forEach((t, i) => {
    if (piece.kinds[i] === 'function' ? ranks.has(t) : lower(t).includes(small)) all.push(i);
  });
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

// ranked returns the names that a pattern may mean, with their ranks. Rank 0 is for
// names that the first way of comparing with a result finds. Higher ranks are for names
// that only a later way finds. Names that end with the pattern, apart from marks, come
// before names that contain a part of it.
function ranked(pattern: string, names: string[]): Map<string, number> {
  const strict = strictPattern(pattern), folded = strictPattern(lower(wildcards(pattern)));
  const plain = unmarked(wildcards(pattern)), exact = strictPattern(plain), alike = strictPattern(lower(plain));
  const part = ('...' + lower(plain).replace(/^\.+|\.+$/g, '') + '...').split('...');
  const ranks = new Map<string, number>();
  let rank = 0;
  for (const matches of [
    (name: string) => match(strict, name),
    (name: string) => match(folded, lower(name)),
    (name: string) => match(exact, unmarked(name)),
    (name: string) => match(alike, lower(unmarked(name))),
    (name: string) => match(part, lower(name)) || match(part, lower(unmarked(name))),
  ]) {
    const before = ranks.size;
    for (const name of names) if (!ranks.has(name) && matches(name)) ranks.set(name, rank);
    if (ranks.size > before) rank++;
  }
  return ranks;
}

const strictPattern = (p: string) => {
  const slash = p.indexOf('/');
  return compiled((slash >= 0 && p.slice(0, slash).includes('.')) || p.startsWith('...') ? p : '...' + p);
};

// compiled splits a pattern at its "...". The "..." in "[...]" is part of a name.
function compiled(p: string): string[] {
  let s = p.replaceAll('[...]', '[\x01]');
  const open = s.endsWith('...');
  if (open) s = s.slice(0, -3);
  const parts = s.split('...');
  if (open) parts.push('');
  return parts.map((part) => part.replaceAll('[\x01]', '[...]'));
}

// match reports whether a text consists of the parts, in their order, with any text
// between them.
function match(parts: string[], text: string): boolean {
  if (parts.length < 2) return text === parts[0];
  if (!text.startsWith(parts[0])) return false;
  text = text.slice(parts[0].length);
  for (const part of parts.slice(1, -1)) {
    const at = text.indexOf(part);
    if (at < 0) return false;
    text = text.slice(at + part.length);
  }
  return text.endsWith(parts.at(-1)!);
}

// lower is Go's strings.ToLower: it maps each letter separately, without special rules
// of languages.
const lower = (text: string) => /^[\x00-\x7f]*$/.test(text) ? text.toLowerCase() : [...text].map((c) => (c === 'İ' ? 'i' : c.toLowerCase())).join('');

const unmarked = (name: string) => name.replace(/\[\.\.\.\]|\(\*|\(|\)/g, '');

const wildcards = (p: string) => p.replaceAll('(*', '(\0').replace(/\*+/g, '*').replaceAll('*', '...').replaceAll('(\0', '(*');
