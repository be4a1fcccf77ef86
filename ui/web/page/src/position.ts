// Steps through the calls of a request, as package trace/step does for the terminal and
// editors. A test compares both.

import { Position } from './api.ts';
import { Calls, duration } from './calls.ts';

type Kind = 'entered' | 'calling' | 'returning';
interface At { call: number; kind: Kind; next: number }
type Moved = [At, boolean];

const entered = (call: number): At => ({ call, kind: 'entered', next: 0 });
const returning = (call: number): At => ({ call, kind: 'returning', next: 0 });

// position returns a position of a request. With an action, it returns the position
// after the action.
export function position(calls: Calls, at: At, action: string, forward: boolean): Position {
  const w = new Walker(calls);
  let moved = true;
  if (action) [at, moved] = w.step(at, action, forward);
  const [before, any] = w.previous(at);
  const stack = [calls.frame(at.call, w.line(at))];
  for (let c = at.call; calls.parent[c] >= 0 && !calls.afterwards.has(c); c = calls.parent[c]) stack.push(calls.frame(calls.parent[c], calls.callerLine(c)));
  const out: Position = {
    ...at, number: w.number(at), total: 3 * calls.total - 1, moved, line: w.line(at),
    returned: any && before.kind === 'returning' ? before.call : -1, stack,
  };
  if (at.kind === 'calling') {
    out.nextFunction = calls.same(at.next).function;
    out.nextName = calls.shortName(at.next);
    out.nextNth = calls.nth(at.next);
    if (calls.afterwards.has(at.next)) out.nextAfterwards = true;
  }
  if (out.returned >= 0) {
    out.returnedName = calls.shortName(out.returned);
    if (calls.took(out.returned)) out.returnedTime = calls.took(out.returned); // a call with only a recorded entry has no time
    if (calls.error(out.returned)) out.returnedError = calls.error(out.returned);
  }
  return out;
}

// entryAt returns the entry of the last call that begins at or before a number of a
// position.
export function entryAt(calls: Calls, number: number): At {
  let from = 0, to = calls.total - 1;
  while (from < to) {
    const middle = (from + to + 1) >> 1;
    if (3 * middle - calls.depth[middle] <= number) from = middle; else to = middle - 1;
  }
  return entered(from);
}

class Walker {
  constructor(private readonly calls: Calls) {}

  number(p: At): number {
    const { depth, end } = this.calls;
    switch (p.kind) {
      case 'calling': return this.number(entered(p.next)) - 1;
      case 'returning': return 3 * end[p.call] - depth[p.call] - 2;
    }
    return 3 * p.call - depth[p.call];
  }

  line(p: At): number {
    return p.kind === 'entered' ? this.calls.same(p.call).line : p.kind === 'calling' ? this.calls.callerLine(p.next) : 0;
  }

  step(p: At, action: string, forward: boolean): Moved {
    const [to, ok] = this.go(p, action, forward);
    return ok ? [to, true] : [forward ? returning(0) : entered(0), false];
  }

  private go(p: At, action: string, forward: boolean): Moved {
    if (action === 'line') return forward ? this.lineForward(p) : this.lineBackward(p);
    if (forward) {
      if (action === 'out') return this.after(p.call);
      return action === 'over' && p.kind === 'calling' ? this.after(p.next) : this.next(p);
    }
    if (action === 'out') return this.before(p.call);
    if (action === 'over' && p.kind === 'calling') {
      const sibling = this.previousSibling(p.next);
      if (sibling >= 0) return this.before(sibling);
    } else if (action === 'over' && p.kind === 'returning') {
      const child = this.lastChild(p.call);
      return child >= 0 ? this.before(child) : [entered(p.call), true];
    }
    return this.previous(p);
  }

  private lineForward(p: At): Moved {
    let [on, ok] = this.go(p, 'over', true);
    while (p.kind === 'calling' && ok && on.kind === 'calling' && on.call === p.call && this.lineStart(on.next) !== on.next) [on, ok] = this.go(on, 'over', true);
    return [on, ok];
  }

  private lineBackward(p: At): Moved {
    if (p.kind === 'calling') {
      const start = this.lineStart(p.next);
      if (start !== p.next) return this.before(start);
    }
    const [back, ok] = this.go(p, 'over', false);
    return ok && back.kind === 'calling' ? this.before(this.lineStart(back.next)) : [back, ok];
  }

  // lineStart returns the first call of call's round. A round is one execution of a line
  // with several calls. If the line calls a function again, a new round begins.
  private lineStart(call: number): number {
    const line = this.calls.callerLine(call);
    if (this.calls.parent[call] < 0 || line === 0) return call;
    const siblings = [call];
    for (let s = this.previousSibling(call); s >= 0 && this.calls.callerLine(s) === line; s = this.previousSibling(s)) siblings.push(s);
    let start = call;
    const called = new Set<number>();
    for (let i = siblings.length - 1; i >= 0; i--) {
      const f = this.calls.function(siblings[i]);
      if (i === siblings.length - 1 || called.has(f)) { start = siblings[i]; called.clear(); }
      called.add(f);
    }
    return start;
  }

  private next(p: At): Moved {
    if (p.kind === 'calling') return [entered(p.next), true];
    if (p.kind === 'returning') return this.after(p.call);
    const first = p.call + 1;
    return first < this.calls.end[p.call] ? [{ call: p.call, kind: 'calling', next: first }, true] : [returning(p.call), true];
  }

  previous(p: At): Moved {
    let last = -1; // the call that returned right before p
    if (p.kind === 'entered') return this.before(p.call);
    if (p.kind === 'calling') last = this.previousSibling(p.next);
    else last = this.lastChild(p.call);
    return [last >= 0 ? returning(last) : entered(p.call), true];
  }

  private before(call: number): Moved {
    const caller = this.calls.parent[call];
    return [{ call: caller, kind: 'calling', next: call }, caller >= 0];
  }

  private after(call: number): Moved {
    const caller = this.calls.parent[call];
    if (caller < 0) return [entered(0), false];
    const sibling = this.calls.end[call];
    return sibling < this.calls.end[caller] ? [{ call: caller, kind: 'calling', next: sibling }, true] : [returning(caller), true];
  }

  private previousSibling(call: number): number {
    const caller = this.calls.parent[call];
    return call - 1 === caller ? -1 : this.childHolding(caller, call - 1);
  }

  private lastChild(call: number): number {
    const end = this.calls.end[call];
    return end === call + 1 ? -1 : this.childHolding(call, end - 1);
  }

  private childHolding(caller: number, call: number): number {
    while (this.calls.parent[call] !== caller) call = this.calls.parent[call];
    return call;
  }
}
