// The time line on a canvas: goroutines are lanes, calls are boxes. The code does not
// depend on the rest of the page.

import { cancelFrame, onFrame } from './idle.ts';

export interface Box { call: number; row: number; startNs: number; durationNs: number; unfinished?: boolean; ownNs: number; name: string; colour: string; leaf?: boolean; failed?: boolean;
  // run has the calls of a run of wrappers that the box stands for. from is the caller in another process. waits says
  // for which process the call waits, and how long that process works.
  run?: number[]; from?: number; waits?: { process: string; ns: number } }
export interface Lane { process: string; goroutine: number; after: boolean; rows: number; boxes: Box[] }
export interface Timeline { startNs: number; endNs: number; totalNs: number; firstNs: number; hidden: number; lanes: Lane[] }

export interface FlameWords { waits: (process: string) => string; group: (process: string, after: boolean) => string; firstEnds: string }

const rowHeight = 17, laneGap = 6, groupHeight = 22, scaleHeight = 22, leastSpan = 200, leafWidth = 5;

interface Placed { y: number; height: number; lane?: Lane; group?: string; byRow: Box[][] }

// Flame draws a part of a time line, and finds the call at a point.
export class Flame {
  from = 0;
  to = 1;
  total = 1;
  selected: number | null = null;
  cursor: number | null = null;
  hovered: number | null = null;
  // chosen is the span on the scale that the reader has dragged over, in pixels.
  chosen: [number, number] | null = null;
  height = 0;
  private first = 0;
  private placed: Placed[] = [];
  private asked = 0;
  private inks: Record<string, string> = {};
  private fills = new Map<string, string>();
  private drawn: [HTMLCanvasElement, Timeline] | null = null; // by strip

  constructor(private canvas: HTMLCanvasElement, private box: HTMLElement, private words: FlameWords) { this.readColours(); }

  speak(words: FlameWords) { this.words = words; }

  // left is the x coordinate where the boxes begin. The numbers of the goroutines are
  // to its left.
  get left() { return this.canvas.clientWidth < 600 ? 44 : 64; }
  get width() { return Math.max(1, this.canvas.clientWidth - this.left); }
  get span() { return this.to - this.from; }

  // setData takes the calls of a span of time. The top lane stays
  // where it is on the screen.
  setData(t: Timeline) {
    const top = this.placed.find((p) => p.lane && p.y + p.height > this.box.scrollTop);
    const offset = top ? this.box.scrollTop - top.y : 0;
    this.total = Math.max(1, t.totalNs);
    this.first = t.firstNs;
    this.placed = [];
    const groups = new Map<string, Lane[]>();
    for (const lane of t.lanes) {
      const group = this.words.group(lane.process, lane.after);
      groups.set(group, [...(groups.get(group) ?? []), lane]);
    }
    let y = scaleHeight + 4;
    for (const [group, lanes] of [...groups].sort((a, b) => Number(a[1][0].after) - Number(b[1][0].after))) {
      this.placed.push({ y, height: groupHeight, group, byRow: [] });
      y += groupHeight;
      for (const lane of lanes) {
        const byRow: Box[][] = Array.from({ length: lane.rows }, () => []);
        for (const b of lane.boxes) byRow[b.row].push(b);
        this.placed.push({ y, height: lane.rows * rowHeight, lane, byRow });
        y += lane.rows * rowHeight + laneGap;
      }
    }
    this.height = y + 8;
    this.findArrows();
    const same = top?.lane && this.placed.find((p) => p.lane?.process === top.lane!.process && p.lane.goroutine === top.lane!.goroutine);
    return same ? same.y + offset : null;
  }

  show(from: number, to: number) {
    const span = Math.min(this.total, Math.max(leastSpan, to - from));
    this.from = Math.min(Math.max(0, from), this.total - span);
    this.to = this.from + span;
    this.draw();
  }

  // zoom multiplies the shown span by part. The time at x stays where it is.
  zoom(part: number, x = this.left + this.width / 2) {
    const at = this.time(x);
    this.show(at - (at - this.from) * part, at + (this.to - at) * part);
  }

  time(x: number) { return this.from + (x - this.left) / this.width * this.span; }
  x(ns: number) { return this.left + (ns - this.from) / this.span * this.width; }

  find(call: number): { box: Box; y: number; lane: Lane } | null {
    for (const p of this.placed) {
      const box = p.lane?.boxes.find((b) => b.call === call || b.run?.includes(call));
      if (box) return { box, y: p.y + box.row * rowHeight, lane: p.lane! };
    }
    return null;
  }

  // hit returns the call at a point of the canvas.
  hit(x: number, y: number): { box: Box; lane: Lane } | null {
    if (y < scaleHeight || x < this.left) return null;
    const at = y + this.box.scrollTop;
    const p = this.placed.find((q) => q.lane && at >= q.y && at < q.y + q.height);
    const row = p?.byRow[Math.floor((at - p.y) / rowHeight)];
    // The nearest box may be up to two pixels away, so that narrow boxes can be hit.
    let best: Box | null = null, nearest = 2.5;
    for (const b of row ?? []) {
      const x0 = this.x(b.startNs), x1 = this.x(b.startNs + b.durationNs);
      const away = x < x0 ? x0 - x : x > x1 ? x - x1 : 0;
      if (away < nearest) { best = b; nearest = away; }
    }
    return best && { box: best, lane: p!.lane! };
  }

  onScale(y: number) { return y < scaleHeight; }

  // draw draws in the next frame.
  draw() {
    if (!this.asked) this.asked = onFrame(() => { this.asked = 0; this.paint(); });
  }

  stop() { cancelFrame(this.asked); }

  readColours() {
    const style = getComputedStyle(document.documentElement);
    for (const name of ['paper', 'ink', 'soft', 'line', 'note', 'bad', 'chosen-line', 'guide']) this.inks[name] = style.getPropertyValue('--' + name).trim();
    this.inks.mono = style.getPropertyValue('--mono').trim();
    this.fills.clear();
    if (this.drawn) this.strip(...this.drawn);
  }

  // fill returns a layer's colour for a box with text on it: pale on white paper. On dark paper, it
  // has a contrast of 3:1 to the paper, and of 4.5:1 to white text.
  private fill(colour: string) {
    let fill = this.fills.get(colour);
    if (!fill) {
      const a = rgb(colour || this.inks.guide), b = rgb(this.inks.paper), light = [255, 255, 255];
      const mix = (part: number, to: number[]) => a.map((n, i) => Math.round(n * (1 - part) + to[i] * part));
      let made = mix(0.62, b);
      if (this.dark) for (let part = 0; part < 1; part += 0.02) {
        made = mix(part, luminance(a) < 0.15 ? light : b);
        if (Math.abs(luminance(made) - 0.16) < 0.015) break;
      }
      fill = `rgb(${made.join(' ')})`;
      this.fills.set(colour, fill);
    }
    return fill;
  }

  // bare returns a layer's colour for what has no text on it.
  private bare(colour: string) { return this.dark ? this.fill(colour) : colour || this.inks.guide; }

  private get dark() { return luminance(rgb(this.inks.paper)) < 0.2; }

  private paint() {
    const { clientWidth: w, clientHeight: h } = this.canvas;
    const scale = devicePixelRatio || 1;
    if (this.canvas.width !== Math.round(w * scale) || this.canvas.height !== Math.round(h * scale)) {
      this.canvas.width = Math.round(w * scale);
      this.canvas.height = Math.round(h * scale);
    }
    const c = this.canvas.getContext('2d')!;
    c.setTransform(scale, 0, 0, scale, 0, 0);
    c.fillStyle = this.inks.paper;
    c.fillRect(0, 0, w, h);
    c.textBaseline = 'middle';
    const top = this.box.scrollTop, left = this.left;
    c.save();
    c.beginPath();
    c.rect(left, scaleHeight, w - left, h - scaleHeight);
    c.clip();
    this.paintGrid(c, h);
    c.font = `12px ${this.inks.mono}`;
    const letter = c.measureText('m').width;
    for (const p of this.placed) {
      if (!p.lane || p.y + p.height < top + scaleHeight || p.y > top + h) continue;
      p.byRow.forEach((row, i) => {
        const y = p.y + i * rowHeight - top;
        if (y + rowHeight < scaleHeight || y > h) return;
        let drawn = -1; // a box within the same pixel as the previous box is not drawn
        for (const b of row) {
          if (b.leaf) continue;
          const x0 = Math.max(left - 2, this.x(b.startNs)), x1 = Math.min(w + 2, this.x(b.startNs + b.durationNs));
          if (x1 < left || x0 > w || x1 <= drawn + 0.5) continue;
          drawn = x1;
          const wide = Math.max(1, x1 - x0 - 0.6);
          c.fillStyle = this.fill(b.colour);
          c.fillRect(x0, y, wide, rowHeight - 1);
          if (b.failed) { c.fillStyle = this.inks.bad; c.fillRect(x0, y + rowHeight - 3, wide, 2); }
          const fits = Math.floor((wide - 6) / letter);
          if (fits >= 3) {
            c.fillStyle = this.dark ? 'white' : this.inks.ink;
            const name = b.waits && b.name.length + this.words.waits(b.waits.process).length < fits ? `${b.name} ${this.words.waits(b.waits.process)}` : b.name;
            c.fillText(name.length <= fits ? name : name.slice(0, fits - 1) + '…', Math.max(x0, left) + 3, y + rowHeight / 2);
          }
        }
        this.paintLeaves(c, row, y, w, letter);
        for (const b of row) {
          const is = (call: number | null) => call !== null && (b.call === call || !!b.run?.includes(call));
          if (!is(this.selected) && !is(this.cursor) && b.call !== this.hovered) continue;
          c.strokeStyle = b.call === this.hovered && !is(this.selected) && !is(this.cursor) ? this.inks.soft : this.inks['chosen-line'];
          c.lineWidth = is(this.selected) ? 2.5 : 1.5;
          c.setLineDash(is(this.cursor) && !is(this.selected) ? [3, 2] : []);
          c.strokeRect(this.x(b.startNs) - (b.leaf ? 4 : 0), y, b.leaf ? 9 : Math.max(3, b.durationNs / this.span * this.width), rowHeight - 1);
          c.setLineDash([]);
        }
      });
    }
    this.paintArrows(c, top, w, h);
    if (this.chosen) {
      c.fillStyle = this.inks['chosen-line'];
      c.globalAlpha = 0.15;
      c.fillRect(Math.min(...this.chosen), 0, Math.abs(this.chosen[1] - this.chosen[0]), h);
      c.globalAlpha = 1;
    }
    c.restore();
    for (const p of this.placed) {
      const y = p.y - top;
      if (!p.lane || y + p.height < scaleHeight || y > h) continue;
      c.font = `10px ${this.inks.mono}`;
      c.fillStyle = this.inks.soft;
      c.fillText(String(p.lane.goroutine), 6, Math.max(y, Math.min(scaleHeight + groupHeight, y + p.height - rowHeight)) + rowHeight / 2);
    }
    // The name of a group stays visible while its lanes are visible.
    const groups = this.placed.filter((p) => p.group);
    groups.forEach((p, i) => {
      const end = (groups[i + 1]?.y ?? this.height) - top, y = Math.min(Math.max(p.y - top, scaleHeight), end - groupHeight);
      if (end < scaleHeight || y > h) return;
      c.font = `600 12px ${this.inks.mono}`;
      c.fillStyle = this.inks.paper;
      c.globalAlpha = 0.85;
      c.fillRect(0, y, c.measureText(p.group!).width + 14, groupHeight - 2);
      c.globalAlpha = 1;
      c.fillStyle = this.inks.soft;
      c.fillText(p.group!, 6, y + groupHeight / 2);
    });
    this.paintScale(c, w);
  }

  // paintLeaves draws the calls without a duration above the boxes of their row. Each is
  // a line with a dot, and with its name if there is room.
  private paintLeaves(c: CanvasRenderingContext2D, row: Box[], y: number, w: number, letter: number) {
    let drawn = -Infinity;
    row.forEach((b, i) => {
      const x = this.x(b.startNs);
      if (!b.leaf || x < this.left - 2 || x > w + 2 || x < drawn + leafWidth) return;
      drawn = x;
      c.fillStyle = this.bare(b.colour);
      c.fillRect(x, y, 1.5, rowHeight - 1);
      c.beginPath();
      c.arc(x + 0.75, y + rowHeight / 2 - 0.5, leafWidth / 2, 0, 2 * Math.PI);
      c.fill();
      const end = i + 1 < row.length ? this.x(row[i + 1].startNs) : w;
      if (Math.floor((end - x - 10) / letter) < b.name.length) return;
      c.fillStyle = this.inks.soft;
      c.fillText(b.name, x + 6, y + rowHeight / 2);
    });
  }

  // arrows has the arrows from the call of a client to the call of the server, as set by
  // setData.
  arrows: { from: { box: Box; y: number }; to: { box: Box; y: number } }[] = [];

  private findArrows() {
    this.arrows = [];
    for (const p of this.placed) {
      for (const b of p.lane?.boxes ?? []) {
        const from = b.from === undefined ? null : this.find(b.from);
        if (from) this.arrows.push({ from, to: { box: b, y: p.y + b.row * rowHeight } });
      }
    }
  }

  private paintArrows(c: CanvasRenderingContext2D, top: number, w: number, h: number) {
    c.strokeStyle = c.fillStyle = this.inks.soft;
    c.lineWidth = 1;
    for (const { from, to } of this.arrows) {
      const x = this.x(to.box.startNs), y0 = from.y + rowHeight - top, y1 = to.y - top;
      if (x < this.left || x > w || Math.max(y0, y1) < 0 || Math.min(y0, y1) > h) continue;
      const down = y1 > y0 ? 1 : -1, end = down > 0 ? y1 : y1 + rowHeight;
      c.beginPath();
      c.moveTo(x + 0.5, down > 0 ? y0 : y0 - rowHeight);
      c.lineTo(x + 0.5, end);
      c.stroke();
      c.beginPath();
      c.moveTo(x + 0.5, end);
      c.lineTo(x - 3, end - 6 * down);
      c.lineTo(x + 4, end - 6 * down);
      c.fill();
    }
  }

  // strip draws the whole request on a small canvas: each lane is a part of its height.
  strip(canvas: HTMLCanvasElement, t: Timeline) {
    this.drawn = [canvas, t];
    const scale = devicePixelRatio || 1, w = canvas.clientWidth, h = canvas.clientHeight;
    canvas.width = Math.round(w * scale);
    canvas.height = Math.round(h * scale);
    const c = canvas.getContext('2d')!;
    c.setTransform(scale, 0, 0, scale, 0, 0);
    c.globalAlpha = this.dark ? 1 : 0.75;
    const rows = t.lanes.reduce((n, l) => n + l.rows, 0) || 1, row = h / rows, total = Math.max(1, t.totalNs);
    let y = 0;
    for (const lane of t.lanes) {
      for (const b of lane.boxes) {
        if (b.leaf) continue;
        c.fillStyle = this.bare(b.colour);
        c.fillRect(b.startNs / total * w, y + b.row * row, Math.max(1, b.durationNs / total * w), Math.max(0.6, row));
      }
      y += lane.rows * row;
    }
  }

  private ticks(): number[] {
    const least = this.span / Math.max(2, this.width / 90);
    const power = 10 ** Math.floor(Math.log10(least));
    const by = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= least)!;
    const ticks = [];
    for (let t = Math.ceil(this.from / by) * by; t <= this.to; t += by) ticks.push(t);
    return ticks;
  }

  private paintGrid(c: CanvasRenderingContext2D, h: number) {
    c.fillStyle = this.inks.line;
    for (const t of this.ticks()) c.fillRect(Math.round(this.x(t)), 0, 1, h);
    if (this.first < this.total) {
      c.strokeStyle = this.inks.soft;
      c.setLineDash([4, 3]);
      c.beginPath();
      c.moveTo(this.x(this.first), 0);
      c.lineTo(this.x(this.first), h);
      c.stroke();
      c.setLineDash([]);
    }
  }

  private paintScale(c: CanvasRenderingContext2D, w: number) {
    c.fillStyle = this.inks.note;
    c.fillRect(0, 0, w, scaleHeight);
    c.fillStyle = this.inks.line;
    c.fillRect(0, scaleHeight - 1, w, 1);
    c.font = `12px ${this.inks.mono}`;
    const ticks = this.ticks(), times = exactTimes(ticks, ticks.length > 1 ? ticks[1] - ticks[0] : this.span);
    const labels = ticks.map((t, i) => [this.x(t), times[i]] as const);
    if (this.first < this.total) labels.unshift([this.x(this.first), this.words.firstEnds]);
    const free: [number, number][] = [];
    for (const [x, text] of labels) {
      const wide = c.measureText(text).width;
      const at = Math.min(x + 3, w - wide - 4);
      if (x > w || x < this.left - 1 || free.some(([a, b]) => at < b && at + wide > a)) continue;
      c.fillStyle = this.inks.soft;
      c.fillRect(Math.round(x), scaleHeight - 6, 1, 5);
      c.fillText(text, at, scaleHeight / 2);
      free.push([at - 7, at + 7 + wide]);
    }
  }
}

// duration writes nanoseconds with three digits.
export function duration(ns: number): string {
  if (ns < 1000) return `${Math.round(ns)}ns`;
  const [value, unit] = ns < 1e6 ? [ns / 1e3, 'µs'] : ns < 1e9 ? [ns / 1e6, 'ms'] : [ns / 1e9, 's'];
  return (value < 10 ? value.toFixed(2) : value < 100 ? value.toFixed(1) : value.toFixed(0)) + unit;
}

// exactTimes writes times in one unit. They have enough digits to
// distinguish times that differ by step.
export function exactTimes<T extends number[]>(times: [...T], step: number): { [K in keyof T]: string } {
  const greatest = Math.max(...times, 0);
  const [unit, name] = greatest < 1e3 ? [1, 'ns'] : greatest < 1e6 ? [1e3, 'µs'] : greatest < 1e9 ? [1e6, 'ms'] : [1e9, 's'];
  const digits = Math.min(Math.log10(unit), Math.max(0, Math.ceil(-Math.log10(Math.max(step, 1) / unit) - 1e-9)));
  return times.map((t) => (t ? (t / unit).toFixed(digits) : 0) + name) as { [K in keyof T]: string };
}

// luminance returns the relative luminance of a colour, as WCAG defines it.
function luminance(colour: number[]): number {
  const [r, g, b] = colour.map((n) => (n <= 10 ? n / 3294 : ((n / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function rgb(colour: string): number[] {
  const hex = colour.replace('#', '');
  return [0, 2, 4].map((i) => Number.parseInt(hex.slice(i, i + 2), 16) || 0);
}
