// Lines between boxes, at right angles. They run around boxes and texts.

export interface Rect { left: number; top: number; right: number; bottom: number }
type Point = [number, number];

// clear is the minimum distance of a line from an obstacle. tracks are the distances
// of lines along an obstacle.
const clear = 2, tracks = [4, 8];
const turnCost = 14, sharedCost = 5;

// Router finds lines between rectangles. No line passes through a rectangle. Lines
// share a track only if there is no other way.
export class Router {
  private readonly xs: number[];
  private readonly ys: number[];
  private readonly blocked: Uint8Array;
  private readonly used = new Map<number, number>();

  constructor(obstacles: Rect[], private readonly bounds: Rect) {
    this.xs = axis(obstacles.map((r) => [r.left, r.right]), bounds.left, bounds.right);
    this.ys = axis(obstacles.map((r) => [r.top, r.bottom]), bounds.top, bounds.bottom);
    this.blocked = new Uint8Array(this.xs.length * this.ys.length);
    for (const r of obstacles) {
      const from = this.xs.findIndex((x) => x > r.left - clear), top = this.ys.findIndex((y) => y > r.top - clear);
      if (from < 0 || top < 0) continue;
      for (let j = top; j < this.ys.length && this.ys[j] < r.bottom + clear; j++) {
        for (let i = from; i < this.xs.length && this.xs[i] < r.right + clear; i++) this.blocked[j * this.xs.length + i] = 1;
      }
    }
  }

  // route returns the corners of a line from the edge of a to the edge of b,
  // or null if there is no way.
  route(a: Rect, b: Rect): Point[] | null {
    const { xs, ys } = this, w = xs.length;
    const starts = this.ports(a), ends = new Map(this.ports(b).map((p) => [p.at, p]));
    if (starts.length === 0 || ends.size === 0) return null;
    const goal: Point = [(b.left + b.right) / 2, (b.top + b.bottom) / 2];
    const reach = Math.max(b.right - b.left, b.bottom - b.top) / 2 + tracks[0];
    const guess = (at: number) => Math.max(0, Math.abs(xs[at % w] - goal[0]) + Math.abs(ys[Math.floor(at / w)] - goal[1]) - 2 * reach);
    // A state is a point, and the direction of the line that reached it: 0 right,
    // 1 down, 2 left, 3 up.
    const cost = new Map<number, number>(), before = new Map<number, number>(), heap = new Heap();
    const offer = (state: number, c: number, from: number) => {
      if (c >= (cost.get(state) ?? Infinity)) return;
      cost.set(state, c);
      before.set(state, from);
      heap.push(c + guess(state >> 2), state);
    };
    for (const s of starts) offer(s.at * 4 + s.out, s.cost, -1);
    for (let state = heap.pop(); state >= 0; state = heap.pop()) {
      const at = state >> 2, out = state & 3, end = ends.get(at);
      if (end && (end.out ^ 2) === out) return this.corners(state, before, starts.find((s) => this.root(state, before) === s.at * 4 + s.out)!.edge, end.edge);
      const i = at % w, j = Math.floor(at / w), c = cost.get(state)!;
      for (let to = 0; to < 4; to++) {
        if ((to ^ 2) === out) continue;
        const ni = i + (to === 0 ? 1 : to === 2 ? -1 : 0), nj = j + (to === 1 ? 1 : to === 3 ? -1 : 0);
        if (ni < 0 || nj < 0 || ni >= w || nj >= ys.length) continue;
        const next = nj * w + ni;
        if (this.blocked[next]) continue;
        const length = Math.abs(xs[ni] - xs[i]) + Math.abs(ys[nj] - ys[j]);
        const shared = this.used.get(Math.min(at, next) * 2 + (to & 1)) ?? 0;
        offer(next * 4 + to, c + length * (1 + shared * sharedCost) + (to === out ? 0 : turnCost), state);
      }
    }
    return null;
  }

  // ports returns the points outside a rectangle where a line can begin: the grid
  // points in front of its edges.
  private ports(r: Rect) {
    const { xs, ys } = this, w = xs.length, out: { at: number; out: number; edge: Point; cost: number }[] = [];
    const near = (list: number[], v: number) => list.findIndex((x) => Math.abs(x - v) < 1.5);
    const add = (i: number, j: number, direction: number, edge: Point, cost: number) => { if (i >= 0 && j >= 0 && !this.blocked[j * w + i]) out.push({ at: j * w + i, out: direction, edge, cost }); };
    const [left, right, top, bottom] = [near(xs, r.left - tracks[0]), near(xs, r.right + tracks[0]), near(ys, r.top - tracks[0]), near(ys, r.bottom + tracks[0])];
    xs.forEach((x, i) => {
      if (x < r.left + 8 || x > r.right - 8) return;
      const off = Math.abs(x - (r.left + r.right) / 2) / 4;
      add(i, top, 3, [x, r.top], off);
      add(i, bottom, 1, [x, r.bottom], off);
    });
    ys.forEach((y, j) => {
      if (y < r.top + 6 || y > r.bottom - 6) return;
      const off = Math.abs(y - (r.top + r.bottom) / 2) / 4;
      add(left, j, 2, [r.left, y], off);
      add(right, j, 0, [r.right, y], off);
    });
    return out;
  }

  private root(state: number, before: Map<number, number>) {
    for (let b = before.get(state)!; b >= 0; b = before.get(b)!) state = b;
    return state;
  }

  private corners(state: number, before: Map<number, number>, start: Point, end: Point): Point[] {
    const w = this.xs.length, points: Point[] = [end];
    for (let s = state; s >= 0; s = before.get(s)!) {
      points.push([this.xs[(s >> 2) % w], this.ys[Math.floor((s >> 2) / w)]]);
      const b = before.get(s)!;
      if (b < 0) break;
      const key = Math.min(s >> 2, b >> 2) * 2 + (s & 1);
      this.used.set(key, (this.used.get(key) ?? 0) + 1);
    }
    points.push(start);
    points.reverse();
    return points.filter((p, i) => i === 0 || i === points.length - 1 || !straight(points[i - 1], p, points[i + 1]));
  }
}

const straight = (a: Point, b: Point, c: Point) => a[0] === b[0] && b[0] === c[0] || a[1] === b[1] && b[1] === c[1];

// axis returns the coordinates for lines across spans: beside each span, and at five
// places within it.
function axis(spans: [number, number][], least: number, greatest: number): number[] {
  const all: number[] = [];
  for (const [from, to] of spans) {
    for (const t of tracks) all.push(from - t, to + t);
    for (const part of [0.2, 0.35, 0.5, 0.65, 0.8]) all.push(from + (to - from) * part);
  }
  const sorted = all.filter((v) => v > least && v < greatest).sort((a, b) => a - b), out: number[] = [];
  for (const v of sorted) if (out.length === 0 || v - out[out.length - 1] > 1) out.push(v);
  return out;
}

// pathOf draws a line with round corners, and an arrowhead at its end.
export function pathOf(points: Point[]): { d: string; head: string } {
  const text = (p: Point) => `${p[0].toFixed(1)} ${p[1].toFixed(1)}`;
  const towards = (p: Point, q: Point, by: number): Point => {
    const length = Math.hypot(q[0] - p[0], q[1] - p[1]) || 1;
    return [p[0] + (q[0] - p[0]) * by / length, p[1] + (q[1] - p[1]) * by / length];
  };
  let d = 'M' + text(points[0]);
  for (let i = 1; i < points.length - 1; i++) {
    const [a, p, b] = [points[i - 1], points[i], points[i + 1]];
    const r = Math.min(4, Math.hypot(p[0] - a[0], p[1] - a[1]) / 2, Math.hypot(b[0] - p[0], b[1] - p[1]) / 2);
    d += `L${text(towards(p, a, r))}Q${text(p)} ${text(towards(p, b, r))}`;
  }
  const end = points[points.length - 1], from = points[points.length - 2];
  d += 'L' + text(end);
  const foot = towards(end, from, 6), dx = (end[1] - from[1]) / (Math.hypot(end[0] - from[0], end[1] - from[1]) || 1) * 3.5, dy = (end[0] - from[0]) / (Math.hypot(end[0] - from[0], end[1] - from[1]) || 1) * 3.5;
  return { d, head: `M${text([foot[0] - dx, foot[1] + dy])}L${text(end)}L${text([foot[0] + dx, foot[1] - dy])}Z` };
}

// Heap returns the states in order of their cost, the least cost first.
class Heap {
  private readonly items: [number, number][] = [];
  push(cost: number, state: number) {
    const a = this.items;
    let i = a.push([cost, state]) - 1;
    for (let up = (i - 1) >> 1; i > 0 && a[up][0] > a[i][0]; i = up, up = (i - 1) >> 1) [a[up], a[i]] = [a[i], a[up]];
  }
  // pop returns -1 if the heap is empty.
  pop(): number {
    const a = this.items;
    if (a.length === 0) return -1;
    const [, state] = a[0], last = a.pop()!;
    if (a.length > 0) {
      a[0] = last;
      for (let i = 0; ;) {
        let least = i;
        for (const c of [2 * i + 1, 2 * i + 2]) if (c < a.length && a[c][0] < a[least][0]) least = c;
        if (least === i) break;
        [a[i], a[least]] = [a[least], a[i]];
        i = least;
      }
    }
    return state;
  }
}
