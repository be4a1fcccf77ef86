// The views of the page. A view is a component in a separate file. It reads its part of
// the address (link.ts). It gets other data from usePage and, in a view of a request,
// from useRequest (context.ts).

import { ComponentType } from 'preact';
import { Api } from './api.ts';
import { Compare } from './compare.tsx';
import { FunctionView } from './function.tsx';
import { GateView } from './gate.tsx';
import { Guide } from './guide.tsx';
import { Lessons } from './lessons.tsx';
import { Calls } from './list.tsx';
import { storyView } from './link.ts';
import { Live } from './live.tsx';
import { RequestMapView } from './map.tsx';
import { Matrix } from './matrix.tsx';
import { Ranking } from './ranking.tsx';
import { Search } from './search.tsx';
import { Start } from './start.tsx';
import { StoryView } from './story.tsx';
import { Steps } from './steps.tsx';
import { Time } from './time.tsx';
import { TypeView } from './type.tsx';
import { Workshop } from './workshop.tsx';
import { Words } from './words.ts';

export interface ViewEntry {
  // name is the view's name in the address: ?view=NAME for a view of a request, or
  // #/NAME for a page that stands alone.
  name: string;
  words: (w: Words) => string;
  show: ComponentType;
  // wide views have no source beside them, unless their address has source=beside.
  wide?: boolean;
  // beside is shown in place of the source while the address names no call.
  beside?: ComponentType;
  // live views need a server, so a page without one does not have them. It has an
  // optional view only if it has the view's data (Api.pages).
  live?: boolean;
  optional?: boolean;
  // A view with caused is only for recordings of what requests caused.
  caused?: boolean;
  // hidden views are not in the navigation.
  hidden?: boolean;
}

// requestViews are the views of a request.
export const requestViews: ViewEntry[] = [
  { name: 'steps', words: (w) => w.steps, show: Steps },
  { name: 'calls', words: (w) => w.allCalls, show: Calls },
  { name: 'time', words: (w) => w.time.title, show: Time, beside: Ranking },
  { name: 'map', words: (w) => w.map.name, show: RequestMapView, wide: true },
  { name: storyView, words: (w) => w.story.name, show: StoryView, caused: true },
];

// pages are the views that do not belong to a request.
export const pages: ViewEntry[] = [
  { name: 'start', words: (w) => w.start.name, show: Start, optional: true, hidden: true },
  { name: 'compare', words: (w) => w.comparison.name, show: Compare, optional: true },
  { name: 'releases', words: (w) => w.comparison.matrix, show: Matrix, optional: true },
  { name: 'search', words: (w) => w.searchPage, show: Search, hidden: true },
  { name: 'function', words: (w) => w.kinds.function, show: FunctionView, hidden: true },
  { name: 'gate', words: (w) => w.readingKinds.gate, show: GateView, live: true, hidden: true },
  { name: 'type', words: (w) => w.kindType, show: TypeView, live: true, hidden: true },
  { name: 'guide', words: (w) => w.guide.name, show: Guide, optional: true },
  { name: 'lessons', words: (w) => w.guide.lessons, show: Lessons, optional: true },
  { name: 'workshop', words: (w) => w.workshop, show: Workshop, live: true },
  { name: 'servers', words: (w) => w.live, show: Live, live: true },
];

// pageAt returns the page that an address names. An empty address is that of the start
// page, where there is one.
export const pageAt = (parts: string[], api: Api) => pages.find((p) => p.name === (parts[0] ?? 'start') && has(p, api));

// has reports whether there are data for a view.
export const has = (e: ViewEntry, api: Api) => api.live || !e.live && (!e.optional || api.pages.includes(e.name));

export const offered = (entries: ViewEntry[], api: Api) => entries.filter((e) => !e.hidden && has(e, api));
