import { ComponentChildren, h } from 'preact';
import { useMemo } from 'preact/hooks';
import { PageContext, usePage } from './context.ts';
import { Address, requestLink, RequestLink, write } from './link.ts';
import { RequestPage } from './request.tsx';
import { Steps } from './steps.tsx';

const steps = { name: 'steps', words: () => '', show: Steps };
const ignore = () => {};

// useBeside shows a request beside a text, such as an exercise or a lesson. The address of
// the text has the address of the request: at has its parts, and its parameters stand
// beside the parameters of the text, which own names. If the address has no request, it is
// first. link is null if there is no request. show shows another request, or none. draw
// draws the request below tools.
export function useBeside(own: string[], first: Address | null): {
  link: RequestLink | null; show: (to: Address | null, replace?: boolean) => void; draw: (label: string, tools?: ComponentChildren) => ComponentChildren;
} {
  const page = usePage(), { address } = page;
  const { at, ...query } = address.query;
  const ofText = Object.fromEntries(own.flatMap((name) => name in query ? [[name, query[name]]] : []));
  for (const name of own) delete query[name];
  const inner = useMemo<Address | null>(() => at ? { parts: at.split('/').map(decodeURIComponent), query } : first && { ...first, query: { ...first.query, ...query } }, [write(address), first && write(first)]);
  const show = (to: Address | null, replace?: boolean) => page.goTo({ parts: address.parts, query: { ...ofText, ...(to ? { ...to.query, at: to.parts.map(encodeURIComponent).join('/') } : {}) } }, replace);
  const link = inner && requestLink(inner);
  const innerPage = { ...page, lost: page.problem, address: inner ?? address, goTo: (to: Address, replace?: boolean) => to.parts[0] === 'search' ? page.goTo(to, replace) : show(to, replace) };
  return {
    link, show,
    draw: (label, tools) => link && (
      <section class="trace" aria-label={label}>
        {tools}
        <PageContext.Provider value={innerPage}><RequestPage embedded link={link} entry={steps} onRecording={ignore} /></PageContext.Provider>
      </section>
    ),
  };
}
