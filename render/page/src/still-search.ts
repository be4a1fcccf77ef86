// The search of a page without a server: by the rules of package trace/search and trace.MatchFunctions.

import { Hit, HitList } from './api.ts';

// A SearchPiece has all texts with the scenarios that have them, in the order of an answer to a search for all of them.
export interface SearchPiece {
  kinds: Hit['kind'][]; texts: string[]; shorts: Record<string, string>;
  // places are lists of what a hit has as its places; of each text, place is its list.
  places: Hit['places'][]; place: number[];
}

// search finds functions, recorded values and errors by a part of their text.
export function search(piece: SearchPiece, text: string, from: number, limit: number): HitList {
  const names = piece.texts.filter((_, i) => piece.kinds[i] === 'function');
  const functions = new Set(matching(text, names)), small = lower(text);
  const found: number[] = [];
  piece.texts.forEach((t, i) => {
    if (piece.kinds[i] === 'function' ? functions.has(t) : lower(t).includes(small)) found.push(i);
  });
  const items = found.slice(from, from + limit).map((i): Hit => ({
    kind: piece.kinds[i], text: piece.texts[i], short: piece.shorts[i] ?? piece.texts[i], places: piece.places[piece.place[i]],
  }));
  return { total: found.length, from: Math.min(from, found.length), items };
}

// matching returns the names that one may have meant by a pattern: the first way of comparing that finds any decides.
function matching(pattern: string, names: string[]): string[] {
  const strict = strictPattern(pattern), folded = strictPattern(lower(wildcards(pattern)));
  const part = ('...' + lower(unmarked(wildcards(pattern))).replace(/^\.+|\.+$/g, '') + '...').split('...');
  for (const matches of [
    (name: string) => match(strict, name),
    (name: string) => match(folded, lower(name)),
    (name: string) => match(part, lower(name)) || match(part, lower(unmarked(name))),
  ]) {
    const found = names.filter(matches);
    if (found.length) return found;
  }
  return [];
}

const strictPattern = (p: string) => {
  const slash = p.indexOf('/');
  return compiled((slash >= 0 && p.slice(0, slash).includes('.')) || p.startsWith('...') ? p : '...' + p);
};

// compiled splits a pattern at its "...", of which the one in "[...]" is part of a name.
function compiled(p: string): string[] {
  let s = p.replaceAll('[...]', '[\x01]');
  const open = s.endsWith('...');
  if (open) s = s.slice(0, -3);
  const parts = s.split('...');
  if (open) parts.push('');
  return parts.map((part) => part.replaceAll('[\x01]', '[...]'));
}

// match tells whether a text consists of the parts, in their order, with any text between them.
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

// lower is strings.ToLower of Go: letter by letter, without the rules that some languages have for some letters.
const lower = (text: string) => /^[\x00-\x7f]*$/.test(text) ? text.toLowerCase() : [...text].map((c) => (c === 'İ' ? 'i' : c.toLowerCase())).join('');

const unmarked = (name: string) => name.replace(/\[\.\.\.\]|\(\*|\(|\)/g, '');

const wildcards = (p: string) => p.replaceAll('(*', '(\0').replace(/\*+/g, '*').replaceAll('*', '...').replaceAll('(\0', '(*');
