// The data that all views get from the page, and that the views of a
// request get from the request.

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
  // goTo shows another address. With replace, the current address is not kept in the
  // browser's history.
  goTo: (to: Address, replace?: boolean) => void;
  // problem shows an error of the API above the view. null removes the error. notice
  // shows a sentence in the same way. The next view begins without both.
  problem: (p: Problem | null) => void;
  notice: (text: string) => void;
  // lost shows an error of the API if the address has nothing to view. It
  // offers links to other pages.
  lost: (p: Problem) => void;
  releases: Release[];
  scenarios: Scenario[];
  // last is the address of the request that was shown last. Pages that do not belong to a
  // request begin with its data.
  last: RequestLink;
}

export const PageContext = createContext<Page>(null!);
export const usePage = () => useContext(PageContext);

// A Request is the request on the page. A property that is null is
// being loaded, or does not exist.
export interface Request {
  link: RequestLink;
  place: Place;
  // path is the path of the request in the API.
  path: string;
  recording: Recording | null;
  scenario?: Scenario;
  view: View | null;
  // selected is the call with its source beside the view. details has its details.
  selected: number | null;
  details: Details | null;
  // select selects a call. With follow, the call follows the focus: a series of such calls is
  // one step in the browser's history.
  select: (call: number, line?: number, follow?: boolean) => void;
  // position is the position of the step player, or null while the player is closed.
  position: Position | null;
  // change changes the request's view parameters. It adds no step
  // to the browser's history.
  change: (more: Record<string, string | undefined>) => void;
}

export const RequestContext = createContext<Request>(null!);
export const useRequest = () => useContext(RequestContext);

// useLatest helps a view to ignore late answers. begin() returns a function
// that reports whether an answer is still wanted: begin has not been called
// again, and the view still exists.
export function useLatest(): () => () => boolean {
  const turn = useRef(0);
  useEffect(() => () => { turn.current++; }, []);
  return useCallback(() => { const mine = ++turn.current; return () => turn.current === mine; }, []);
}

// useAsking is useEffect for an effect that requests something and takes the answer. Its
// cleanup runs as soon as the page shows a new state. The cleanup of useEffect waits for
// the next paint, and until then the view could take an answer that it no longer needs.
export const useAsking = useLayoutEffect;
