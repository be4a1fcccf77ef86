// The API's answers about a function. docs/api.md and /openapi.json describe them.

import { AskedGate } from './gate.tsx';

export interface Neighbour { function: string; name: string; place?: string; calls: number; how?: string; indirect?: boolean }
// A request of a Use is 0 if only its scenario is known; calls is then 0, too.
export interface Use { scenario: string; request: number; method: string; path: string; status: number; calls: number }
export interface FunctionFacts {
  function: string; name: string; k8sVersion: string; layer: string; title: string; colour: string; note: string; file: string; line: number; program: string; url?: string;
  noSpan?: string; recordings: number; calls: number; callers: Neighbour[]; callees: Neighbour[]; values: { name: string; seen: string[]; more?: number }[]; errors: string[]; uses: Use[];
  gates?: AskedGate[]; // absent in a page without a server
  // Only in a page without a server: the path of the source, and the scenario of all
  // facts but uses.
  source?: string; only?: string;
}
export interface Appearance { k8sVersion: string; sign: string; state: string; known: boolean; function: string; name: string; place?: string; scenarios: number; recorded: number }
export interface FunctionHistory { function: string; releases: Appearance[] }
