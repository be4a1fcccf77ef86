// The time line of a request. The calls in a span of time are boxes on lanes, one lane
// for each goroutine.

import { Calls } from './calls.ts';

interface Box { call: number; row: number; startNs: number; durationNs: number; unfinished?: boolean; ownNs: number; name: string; colour: string; leaf?: boolean; failed?: boolean; run?: number[]; from?: number; waits?: { process: string; ns: number } }
interface Lane { process: string; goroutine: number; after: boolean; rows: number; boxes: Box[] }
interface Timeline { startNs: number; endNs: number; firstNs: number; totalNs: number; hidden: number; lanes: Lane[] }

// least is the number of wrappers that are folded into one box, and most the part of a
// wrapper's time that its inner call takes.
const mostBoxes = 20000, leafNs = 1000, leastRun = 3, innerPart = 0.9;

// wrapperRuns finds runs of wrappers: calls on one goroutine that each leave nearly all
// their time to one call. A run ends before the next key step. wrapperRuns returns the first
// call of each call's run, and the calls of each run by its first call.
function wrapperRuns(calls: Calls): { first: Int32Array; runs: Map<number, number[]> } {
  const inner = new Int32Array(calls.total).fill(-1), goesOn = new Uint8Array(calls.total), first = Int32Array.from({ length: calls.total }, (_, i) => i);
  for (let i = 1; i < calls.total; i++) {
    const p = calls.parent[i];
    if (inner[p] >= 0 || calls.durationNs(p) === 0 || calls.isLeaf(i) || calls.isUnfinished(i) || calls.isUnfinished(p) || calls.goroutine(i) !== calls.goroutine(p)) continue;
    if (calls.same(p).process !== calls.same(i).process || calls.durationNs(i) < innerPart * calls.durationNs(p)) continue;
    inner[p] = i;
    goesOn[i] = Number(!calls.same(i).key);
  }
  const runs = new Map<number, number[]>();
  for (let i = 0; i < calls.total; i++) {
    if (inner[i] < 0 || goesOn[i]) continue;
    const run = [i];
    for (let c = inner[i]; inner[c] >= 0 && goesOn[c]; c = inner[c]) run.push(c);
    if (run.length < leastRun) continue;
    runs.set(i, run);
    for (const c of run) first[c] = i;
  }
  return { first, runs };
}

// timeline returns the calls in a span of time as boxes on lanes. It leaves out calls
// shorter than a pixel. With fold, a run of wrappers is one box.
export function timeline(calls: Calls, startNs: number, endNs: number, pixels: number, fold = false): Timeline {
  const { first, runs } = fold ? wrapperRuns(calls) : { first: null, runs: null };
  const out: Timeline = { startNs, endNs, firstNs: calls.durationNs(0), totalNs: 0, hidden: 0, lanes: [] };
  for (let i = 0; i < calls.total; i++) out.totalNs = Math.max(out.totalNs, calls.startNs[i] + (calls.isUnfinished(i) && i > 0 ? 0 : calls.durationNs(i)));
  if (calls.isUnfinished(0)) out.firstNs = out.totalNs;
  if (out.endNs === 0) out.endNs = out.totalNs;
  const least = Math.floor((out.endNs - out.startNs) / pixels);
  const lanes = new Map<string, Lane>(), rows = new Int32Array(calls.total);
  const remotes = new Map<number, number>(); // the first call in another process, by its caller
  for (let i = 1; i < calls.total; i++) if (calls.same(i).process !== calls.same(calls.parent[i]).process && !remotes.has(calls.parent[i])) remotes.set(calls.parent[i], i);
  let boxes = 0;
  for (let i = 0; i < calls.total; i++) {
    const s = calls.same(i), goroutine = calls.goroutine(i), start = calls.startNs[i], unfinished = calls.isUnfinished(i), took = unfinished ? out.totalNs - start : calls.durationNs(i);
    let lane = lanes.get(`${s.process} ${goroutine}`);
    if (!lane) lanes.set(`${s.process} ${goroutine}`, lane = { process: s.process, goroutine, after: start > out.firstNs, rows: 0, boxes: [] });
    if (first && first[i] !== i) { rows[i] = rows[first[i]]; continue; }
    for (let p = calls.parent[i]; p >= 0; p = calls.parent[p]) {
      if (calls.same(p).process === s.process && calls.goroutine(p) === goroutine) { rows[i] = rows[p] + 1; break; }
    }
    if (start > out.endNs || start + took < out.startNs) continue;
    if ((calls.isLeaf(i) ? leafNs : took) < least || boxes >= mostBoxes) { out.hidden++; continue; }
    boxes++;
    lane.rows = Math.max(lane.rows, rows[i] + 1);
    const box: Box = { call: i, row: rows[i], startNs: start, durationNs: took, ownNs: unfinished ? 0 : calls.ownNs(i), name: calls.shortName(i), colour: s.colour };
    if (unfinished) box.unfinished = true;
    if (calls.isLeaf(i)) box.leaf = true;
    if (calls.failed(i)) box.failed = true;
    const run = runs?.get(i), p = calls.parent[i];
    if (run) { box.run = run; box.name += ` +${run.length - 1}`; }
    if (p >= 0 && calls.same(p).process !== s.process) box.from = p;
    const remote = remotes.get(i);
    if (remote !== undefined) box.waits = { process: calls.same(remote).process, ns: calls.durationNs(remote) };
    lane.boxes.push(box);
  }
  out.lanes = [...lanes.values()].filter((l) => l.boxes.length > 0);
  return out;
}
