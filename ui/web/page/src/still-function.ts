// The page of a function without a server. A page without a server has no answers of the
// API about functions: they would be larger than the recordings. It takes the facts from
// one recording, and the scenarios and releases from the search.

import { Recording, View } from './api.ts';
import { Calls } from './calls.ts';
import { Appearance, FunctionFacts, FunctionHistory, Neighbour } from './function-data.ts';
import { SearchPiece } from './still-search.ts';
import { Lang, words } from './words.ts';

export type Places = SearchPiece['places'][0];

// placesOf returns the places of a function in the search, none if there are none.
export function placesOf(piece: SearchPiece, name: string): Places {
  const i = piece.texts.findIndex((t, i) => t === name && piece.kinds[i] === 'function');
  return i < 0 ? [] : piece.places[piece.place[i]];
}

// One is a request of the recording that the facts are taken from.
export interface One { request: Recording['requests'][0]; calls: Calls; path: string; view: View }

// factsOf returns the facts about a function. recorded is the number of scenarios of the
// release, scenario the one of the requests.
export function factsOf(name: string, release: string, recorded: number, scenario: string, scenarios: string[], of: One[], lang: Lang): FunctionFacts | null {
  const callers = new Map<string, Neighbour>(), callees = new Map<string, Neighbour>(), values = new Map<string, Set<string>>(), errors = new Set<string>();
  const facts: FunctionFacts = {
    function: name, name: '', k8sVersion: release, layer: '', title: '', colour: '', note: '', file: '', line: 0, program: '', recordings: recorded, calls: 0,
    callers: [], callees: [], values: [], errors: [], uses: [], only: scenario,
  };
  const meet = (all: Map<string, Neighbour>, calls: Calls, side: number, called: number, caller: number) => {
    const s = calls.same(side), file = calls.same(caller).file, line = calls.callerLine(called);
    const place = line ? `${file.slice(file.lastIndexOf('/') + 1)}:${line}` : undefined, key = `${s.function} ${place}`;
    const known = all.get(key);
    if (known) known.calls++;
    else all.set(key, { function: s.function, name: calls.shortName(side), place, calls: 1 });
  };
  for (const { request, calls, path, view } of of) {
    let count = 0;
    for (let i = 0; i < calls.total; i++) {
      const s = calls.same(i);
      if (s.function !== name) continue;
      if (facts.calls + count === 0) {
        const d = calls.details(i, lang, view);
        Object.assign(facts, { name: calls.shortName(i), layer: s.layer, title: d.title, colour: s.colour, note: d.note, file: s.file, line: s.line, program: s.process, url: s.url, source: `${path}/calls/${i}/source` });
      }
      count++;
      if (calls.parent[i] >= 0) meet(callers, calls, calls.parent[i], i, calls.parent[i]);
      for (const c of calls.children(i)) meet(callees, calls, c, c, i);
      for (const [n, v] of Object.entries(calls.call(i).attributes)) values.set(n, (values.get(n) ?? new Set()).add(v));
      if (calls.error(i)) errors.add(calls.error(i));
    }
    facts.calls += count;
    if (count > 0) facts.uses.push({ scenario, request: request.number, method: request.method, path: request.path, status: request.status, calls: count });
  }
  if (facts.calls === 0) return null;
  const byCalls = (all: Map<string, Neighbour>) => [...all.values()].sort((a, b) => b.calls - a.calls);
  facts.callers = byCalls(callers);
  facts.callees = byCalls(callees);
  facts.values = [...values].sort().map(([n, seen]) => ({ name: n, seen: [...seen].slice(0, most), ...(seen.size > most ? { more: seen.size - most } : {}) }));
  facts.errors = [...errors];
  for (const other of scenarios) if (other !== scenario) facts.uses.push({ scenario: other, request: 0, method: '', path: '', status: 0, calls: 0 });
  return facts;
}

const most = 6;

// historyOf says in which of the releases recordings call a function.
export function historyOf(name: string, short: string, places: Places, releases: { k8sVersion: string; scenarios: string[] }[], lang: Lang): FunctionHistory {
  const w = words[lang].function;
  return {
    function: name, releases: releases.map((r): Appearance => {
      const scenarios = places.filter((p) => p.releases.includes(r.k8sVersion)).length;
      return { k8sVersion: r.k8sVersion, sign: scenarios > 0 ? '●' : '?', state: scenarios > 0 ? w.called : w.unknown, known: scenarios > 0, function: name, name: short, scenarios, recorded: r.scenarios.length };
    }),
  };
}
