import { Fragment, h } from 'preact';
import { Problem } from './api.ts';
import { usePage } from './context.ts';
import { firstPlace, firstView, requestAddress, write } from './link.ts';
import { has, pages } from './views.ts';

// Nowhere takes the place of a view without data, and has links to other pages. The
// reason is shown above it (Page.lost).
export function Nowhere({ status, again }: { status: Problem['status']; again: () => void }) {
  const { api, words, address: { parts } } = usePage();
  const page = pages.find((p) => p.name === (parts[0] === 'live' ? 'servers' : parts[0]) && !p.hidden && has(p, api));
  return (
    <main class="page nowhere">
      {status === 404 ? <h1>{words.nothingHere}</h1> : <p><button class="go" onClick={again}>{words.tryAgain}</button></p>}
      <p>{words.goOn} {page && <Fragment><a href={'#/' + page.name}>{page.words(words)}</a> · </Fragment>}<a href={api.start ?? write(requestAddress({ place: firstPlace(), view: firstView, more: {} }))}>{words.firstRecording}</a>{api.live && <Fragment> · <a href="#/search">{words.searchPage}</a></Fragment>}</p>
    </main>
  );
}
