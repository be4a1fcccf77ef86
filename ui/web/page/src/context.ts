// What every view gets from the page, and what every view of a request gets from the request.

import { createContext } from 'preact';
import { useCallback, useContext, useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { Api, Details, Place, Position, Problem, Recording, Release, Scenario, View } from './api.ts';
import { Address, RequestLink } from './link.ts';
import { Lang, Words } from './words.ts';

export interface Page {
  api: Api;
  lang: Lang;
  words: Words;
  address: Address;
  // goTo shows another address; replace leaves out the one that is shown from the browser's history.
  goTo: (to: Address, replace?: boolean) => void;
  // problem shows an error of the API above the view, null takes it away; notice does so with a sentence. The next view begins without both.
  problem: (p: Problem | null) => void;
  notice: (text: string) => void;
  // lost shows an error of the API because of which there is nothing to view at the address, and leads on.
  lost: (p: Problem) => void;
  releases: Release[];
  scenarios: Scenario[];
  // last is the address of the request that was shown last: what pages that stand alone begin with.
  last: RequestLink;
}

export const PageContext = createContext<Page>(null!);
export const usePage = () => useContext(PageContext);

// A Request is the request that is shown. What is null is being loaded, or not there.
export interface Request {
  link: RequestLink;
  place: Place;
  // path is that of the request in the API.
  path: string;
  recording: Recording | null;
  scenario?: Scenario;
  view: View | null;
  // selected is the call whose source is beside the view, details what is known of it.
  selected: number | null;
  details: Details | null;
  select: (call: number, line?: number) => void;
  // position is where the step player stands, null while it is closed.
  position: Position | null;
  // change shows the request with other parameters of the view, without a step in the browser's history.
  change: (more: Record<string, string | undefined>) => void;
}

export const RequestContext = createContext<Request>(null!);
export const useRequest = () => useContext(RequestContext);

// useLatest is for what a view does when an answer has come. begin() returns a function that tells whether that is still wanted: nothing
// has begun after it, and the view is still there.
export function useLatest(): () => () => boolean {
  const turn = useRef(0);
  useEffect(() => () => { turn.current++; }, []);
  return useCallback(() => { const mine = ++turn.current; return () => turn.current === mine; }, []);
}

// useAsking is useEffect for what asks for something and takes the answer. Its cleanup runs as soon as the page shows a new state; that of
// useEffect would wait for the next paint, and an answer to what nobody wants any more could come in between and be taken.
export const useAsking = useLayoutEffect;
