// The time line of a request. The calls in a span of time are boxes on lanes, one lane
// for each goroutine.

import { Calls } from './calls.ts';

interface Box { call: number; row: number; startNs: number; durationNs: number; unfinished?: boolean; ownNs: number; name: string; colour: string; leaf?: boolean; failed?: boolean }
interface Lane { process: string; goroutine: number; after: boolean; rows: number; boxes: Box[] }
interface Timeline { startNs: number; endNs: number; firstNs: number; totalNs: number; hidden: number; lanes: Lane[] }

const mostBoxes = 20000, leafNs = 1000;

// timeline returns the calls in a span of time as boxes on lanes. It leaves out calls
// shorter than a pixel.
export function timeline(calls: Calls, startNs: number, endNs: number, pixels: number): Timeline {
  const out: Timeline = { startNs, endNs, firstNs: calls.durationNs(0), totalNs: 0, hidden: 0, lanes: [] };
  for (let i = 0; i < calls.total; i++) out.totalNs = Math.max(out.totalNs, calls.startNs[i] + (calls.isUnfinished(i) && i > 0 ? 0 : calls.durationNs(i)));
  if (calls.isUnfinished(0)) out.firstNs = out.totalNs;
  if (out.endNs === 0) out.endNs = out.totalNs;
  const least = Math.floor((out.endNs - out.startNs) / pixels);
  const lanes = new Map<string, Lane>(), rows = new Int32Array(calls.total);
  let boxes = 0;
  for (let i = 0; i < calls.total; i++) {
    const s = calls.same(i), goroutine = calls.goroutine(i), start = calls.startNs[i], unfinished = calls.isUnfinished(i), took = unfinished ? out.totalNs - start : calls.durationNs(i);
    let lane = lanes.get(`${s.process} ${goroutine}`);
    if (!lane) lanes.set(`${s.process} ${goroutine}`, lane = { process: s.process, goroutine, after: start > out.firstNs, rows: 0, boxes: [] });
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
    lane.boxes.push(box);
  }
  out.lanes = [...lanes.values()].filter((l) => l.boxes.length > 0);
  return out;
}
