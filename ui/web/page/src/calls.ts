// The calls of a request as a tree, made from CallTable in ui/web/calltable.go, and the
// details of single calls on the page.

import { Call, CallList, Details, Frame, Mark, Value, View } from './api.ts';
import { Lang } from './words.ts';

interface Same {
  function: string; file: string; line: number; process: string; name: string; short?: string; place: string; layer: string; colour: string; key: boolean;
  url?: string; title: Partial<Record<Lang, string>>; note?: Partial<Record<Lang, string>>;
}
interface PackedValue { name: string; value: string; raw?: string; decides?: boolean }
export interface CallTable {
  same: Same[]; values: PackedValue[]; valueLists: number[][]; goroutines: number[];
  of: number[]; caller: number[]; callerLine: number[]; goroutine: number[]; startNs: number[]; durationNs: number[]; value: number[];
  newGoroutine: number[]; unfinished: number[]; leaves: number[]; afterwards: number[]; errors: Record<string, string>; panics: Record<string, string>;
}

// A Filter selects calls. An absent property does not restrict the selection.
export interface Filter {
  text?: string; layer?: string; process?: string;
  // least is the least duration in nanoseconds.
  least?: number;
  // failed selects calls that returned an error or panicked.
  failed?: boolean;
}

const none: number[] = [];

// Calls has the calls of a request as a tree, in order of entry. A call is
// followed by all calls below it.
export class Calls {
  readonly total: number;
  // For each call: its caller (-1 for the first call), the number of calls above it,
  // the first call after it that is not below it, and its start.
  readonly parent: Int32Array;
  readonly depth: Int32Array;
  readonly end: Int32Array;
  readonly startNs: Float64Array;
  private readonly functions: number[];
  private readonly newGoroutine: Set<number>;
  private readonly unfinished: Set<number>;
  private readonly leaves: Set<number>;
  // afterwards has the calls that handle the event of a write. Nobody called them,
  // although they have a caller in the list.
  readonly afterwards: Set<number>;
  private byFunction?: Map<number, number[]>;
  private byPlace?: Map<number, number[]>;

  constructor(private readonly data: CallTable) {
    const n = this.total = data.of.length;
    this.parent = new Int32Array(n);
    this.depth = new Int32Array(n);
    this.end = new Int32Array(n);
    this.startNs = new Float64Array(n);
    for (let i = 0, start = 0; i < n; i++) {
      this.parent[i] = i === 0 ? -1 : i - data.caller[i];
      if (i > 0) this.depth[i] = this.depth[this.parent[i]] + 1;
      this.startNs[i] = start += data.startNs[i];
    }
    for (let i = n - 1; i >= 0; i--) {
      this.end[i] = Math.max(this.end[i], i + 1);
      const p = this.parent[i];
      if (p >= 0) this.end[p] = Math.max(this.end[p], this.end[i]);
    }
    this.newGoroutine = new Set(data.newGoroutine);
    this.unfinished = new Set(data.unfinished);
    this.leaves = new Set(data.leaves);
    this.afterwards = new Set(data.afterwards);
    const names = new Map<string, number>();
    this.functions = data.same.map((s) => {
      if (!names.has(s.function)) names.set(s.function, names.size);
      return names.get(s.function)!;
    });
  }

  same(i: number): Same { return this.data.same[this.data.of[i]]; }
  durationNs(i: number): number { return this.data.durationNs[i]; }
  goroutine(i: number): number { return this.data.goroutines[this.data.goroutine[i]]; }
  callerLine(i: number): number { return this.data.callerLine[i]; }
  error(i: number): string { return this.data.errors[i] ?? ''; }
  shortName(i: number): string { return this.same(i).short ?? this.same(i).name; }
  failed(i: number): boolean { return i in this.data.errors || i in this.data.panics; }
  // function returns the same number for all calls of a function.
  function(i: number): number { return this.functions[this.data.of[i]]; }

  // ownNs returns how long a call ran while none of the calls that it made ran.
  ownNs(i: number): number {
    const from = this.startNs[i], until = from + this.durationNs(i), spans: [number, number][] = [];
    for (const c of this.children(i)) {
      const start = Math.max(this.startNs[c], from), end = Math.min(this.startNs[c] + this.durationNs(c), until);
      if (start < end) spans.push([start, end]);
    }
    let own = this.durationNs(i), reached = from;
    for (const [start, end] of spans.sort((a, b) => a[0] - b[0])) {
      const begin = Math.max(start, reached);
      if (begin < end) { own -= end - begin; reached = end; }
    }
    return own;
  }
  // isLeaf reports whether only the entry of the call was recorded. Then took returns "".
  isLeaf(i: number): boolean { return this.leaves.has(i); }
  took(i: number): string { return this.isLeaf(i) ? '' : duration(this.durationNs(i), this.tickNs()); }

  // tickNs is 1000 if all times are whole microseconds, as of a coarse clock (trace.Request.TickNs), or 0.
  private tick = -1;
  private tickNs(): number {
    if (this.tick >= 0) return this.tick;
    let coarse = this.total >= 20;
    for (let i = 0; coarse && i < this.total; i++) coarse = this.startNs[i] % 1000 === 0 && this.durationNs(i) % 1000 === 0;
    return this.tick = coarse ? 1000 : 0;
  }

  isUnfinished(i: number): boolean { return this.unfinished.has(i); }

  *children(i: number): Generator<number> {
    for (let c = i + 1; c < this.end[i]; c = this.end[c]) yield c;
  }

  call(i: number): Call {
    const s = this.same(i);
    let made = 0;
    for (const c of this.children(i)) if (!this.afterwards.has(c)) made++;
    const out: Call = {
      function: s.function, file: s.file, line: s.line, callerLine: this.callerLine(i), process: s.process, goroutine: this.goroutine(i),
      startNs: this.startNs[i], durationNs: this.durationNs(i), error: this.error(i), index: i, caller: this.parent[i],
      depth: this.depth[i], ownNs: this.ownNs(i), below: this.end[i] - i - 1, made, name: s.name, place: s.place, time: this.took(i),
      layer: s.layer, colour: s.colour, key: s.key, attributes: Object.fromEntries(this.values(i).map((v) => [v.name, v.raw ?? v.value])),
    };
    if (this.newGoroutine.has(i)) out.newGoroutine = true;
    if (this.afterwards.has(i)) out.afterwards = true;
    if (this.unfinished.has(i)) out.unfinished = true;
    if (this.isLeaf(i)) out.leaf = true;
    if (i in this.data.panics) out.panic = this.data.panics[i];
    if (s.url) out.url = s.url;
    return out;
  }

  private values(i: number): PackedValue[] { return this.data.valueLists[this.data.value[i]].map((v) => this.data.values[v]); }

  // list returns a part of a list of calls.
  list(of: ArrayLike<number> | number, from: number, limit: number): CallList {
    const total = typeof of === 'number' ? of : of.length;
    const start = Math.min(from, total), items: Call[] = [];
    for (let n = start; n < Math.min(total, start + limit); n++) items.push(this.call(typeof of === 'number' ? n : of[n]));
    return { total, from: start, items };
  }

  // holding returns the calls that have a text in the details that
  // readers see. It ignores case.
  holding(text: string): number[] {
    const has = (s?: string) => s !== undefined && s.toLowerCase().includes(text);
    text = text.toLowerCase();
    const same = this.data.same.map((s) => has(s.function) || has(`${s.file}:${s.line}`));
    const values = this.data.values.map((v) => has(v.raw ?? v.value));
    const lists = this.data.valueLists.map((list) => list.some((v) => values[v]));
    const found: number[] = [];
    for (let i = 0; i < this.total; i++) {
      if (same[this.data.of[i]] || lists[this.data.value[i]] || has(this.data.errors[i]) || has(this.data.panics[i])) found.push(i);
    }
    return found;
  }

  // select returns the calls that a filter selects.
  select(f: Filter): number[] {
    const of = f.text ? this.holding(f.text) : Array.from({ length: this.total }, (_, i) => i);
    return of.filter((i) => {
      const s = this.same(i);
      return (!f.layer || s.layer === f.layer) && (!f.process || s.process === f.process) && this.durationNs(i) >= (f.least ?? 0) && (!f.failed || this.failed(i));
    });
  }

  // withCallers returns calls and all their callers, in order of entry.
  withCallers(calls: number[]): number[] {
    const shown = new Set(calls);
    for (const call of calls) for (let i = this.parent[call]; i >= 0 && !shown.has(i); i = this.parent[i]) shown.add(i);
    return [...shown].sort((a, b) => a - b);
  }

  details(i: number, lang: Lang, view: View): Details {
    const s = this.same(i), shown = shownBy(view), stack: Frame[] = [];
    let step = i;
    while (step > 0 && !shown.has(step)) step = this.parent[step];
    for (let child = i; this.parent[child] >= 0; child = this.parent[child]) stack.push(this.frame(this.parent[child], this.callerLine(child)));
    const values: Value[] = this.values(i).map((v) => ({ name: v.name, value: v.value, decides: v.decides ?? false }));
    return { call: this.call(i), title: s.title[lang] ?? '', note: s.note?.[lang] ?? '', nth: this.nth(i), step, stack, values };
  }

  // frame describes a call on the stack. line is the line that
  // control has reached in the call.
  frame(i: number, line: number): Frame {
    const s = this.same(i);
    const out: Frame = { index: i, function: s.function, name: this.shortName(i), file: s.file, line, process: s.process, layer: s.layer, colour: s.colour };
    if (this.newGoroutine.has(i)) out.newGoroutine = true;
    if (this.afterwards.has(i)) out.afterwards = true;
    return out;
  }

  private place(i: number): number {
    const p = this.parent[i];
    return this.function(i) * (this.functions.length + 1) + (p < 0 ? this.functions.length : this.function(p));
  }

  private index() {
    if (this.byPlace) return;
    this.byPlace = new Map();
    this.byFunction = new Map();
    const add = (to: Map<number, number[]>, key: number, i: number) => {
      const list = to.get(key);
      if (list) list.push(i); else to.set(key, [i]);
    };
    for (let i = 0; i < this.total; i++) {
      add(this.byPlace, this.place(i), i);
      add(this.byFunction, this.function(i), i);
    }
  }

  // nth returns the position of a call among the calls of the same function
  // by the same caller, from 1.
  nth(i: number): number {
    this.index();
    return this.byPlace!.get(this.place(i))!.indexOf(i) + 1;
  }

  // find returns the nth call of a function by a caller. If there is none, it returns
  // the most similar call.
  find(name: string, caller: string, nth: number): { index: number; exact: boolean } {
    this.index();
    const number = (n: string) => { const at = this.data.same.findIndex((s) => s.function === n); return at < 0 ? -1 : this.functions[at]; };
    const f = number(name), by = caller === '' ? this.functions.length : number(caller);
    const inPlace = f < 0 || by < 0 ? none : this.byPlace!.get(f * (this.functions.length + 1) + by) ?? none;
    const pick = (calls: number[]) => calls[Math.min(Math.max(nth, 1), calls.length) - 1];
    if (inPlace.length) return { index: pick(inPlace), exact: nth >= 1 && nth <= inPlace.length };
    const calls = f < 0 ? none : this.byFunction!.get(f) ?? none;
    return { index: calls.length ? pick(calls) : -1, exact: false };
  }

  // marks lists the calls that the lines first to last of call i's text made. A function
  // literal in these lines may have run below call i. Then its calls are listed, too.
  marks(i: number, first: number, last: number): Mark[] {
    const marks: Mark[] = [], inText = new Set([i]), self = this.function(i), file = this.same(i).file;
    const add = (child: number) => {
      const line = this.callerLine(child), s = this.same(child);
      let m = marks.find((m) => m.line === line && m.function === s.function);
      if (!m) {
        marks.push(m = { line, function: s.function, name: this.shortName(child), count: 0, calls: [] });
        if (s.short) m.upstream = s.name; // only calls of upstream's own tracing have another name than their function
      }
      m.count++;
      if (this.failed(child)) m.failed = true;
      if (m.calls.length < mostMarked) m.calls.push(child);
    };
    for (let child = i + 1; child < this.end[i];) {
      const caller = this.parent[child];
      if (this.function(child) === self) { // call i's function called itself: what that call made is not listed here
        if (inText.has(caller)) add(child);
        child = this.end[child];
        continue;
      }
      if (inText.has(caller) && this.callerLine(child) >= first && this.callerLine(child) <= last) add(child);
      const s = this.same(child);
      if (s.file === file && s.line >= first && s.line <= last) inText.add(child);
      child++;
    }
    return marks.sort((a, b) => a.line - b.line);
  }
}

const mostMarked = 100;

// shownBy returns the calls that a view shows.
const known = new WeakMap<View, Set<number>>();
function shownBy(view: View): Set<number> {
  let shown = known.get(view);
  if (!shown) {
    known.set(view, shown = new Set());
    const steps = view.sections.map((s) => s.root);
    for (let step = steps.pop(); step; step = steps.pop()) {
      shown.add(step.call);
      steps.push(...step.children);
    }
  }
  return shown;
}

// duration writes nanoseconds with three digits and a unit, as the tree does. tick is the
// tick of the clock; see view.Signs.
export function duration(ns: number, tick = 0): string {
  if (ns < tick) return '<' + duration(tick, tick);
  if (ns < 1000) return `${ns}ns`;
  let value = ns / 1e3;
  const units = ['µs', 'ms', 's'];
  while (value >= 999.5 && units.length > 1) { value /= 1e3; units.shift(); }
  const decimals = value >= 99.95 ? 0 : tick === 1000 && units[0] === 'µs' ? 0 : value >= 9.995 ? 1 : 2, scaled = value * 10 ** decimals;
  // Go rounds a value halfway between two numbers to the even
  // number. toFixed rounds it up.
  if (Number.isInteger(value * 8) && scaled % 1 === 0.5 && Math.floor(scaled) % 2 === 0) return (Math.floor(scaled) / 10 ** decimals).toFixed(decimals) + units[0];
  return value.toFixed(decimals) + units[0];
}
