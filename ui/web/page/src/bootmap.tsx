import { Fragment, h } from 'preact';
import { useState } from 'preact/hooks';
import { Place, Problem } from './api.ts';
import { useAsking, useLatest, usePage } from './context.ts';
import { openCall } from './map.tsx';
import { thousands } from './words.ts';

interface Route { method: string; path: string; operation?: string; handler: string; call: number }
interface Resource { name: string; call: number; storage: string; strategy: string; store: number; routes: Route[] }
interface Group { groupVersion: string; call: number; startNs: number; routes: number; resources: Resource[]; others: Route[] }
interface Server { name: string; call: number; startNs: number; routes: number; groups: Group[]; others: Route[] }

const short = (name: string) => name.slice(name.lastIndexOf('/') + 1);
const seconds = (ns: number) => (ns < 1e9 ? `${Math.round(ns / 1e6)} ms` : `${(ns / 1e9).toFixed(2)} s`);

// BootMap shows the parts that a start built: the servers, and in each server the
// groups, resources and routes, down to storage and strategy. Closed parts are not in
// the page.
export function BootMap({ release, place }: { release: string; place: Place }) {
  const page = usePage();
  const { api, words: all } = page;
  const words = all.map;
  const [servers, setServers] = useState<Server[] | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const begin = useLatest();
  useAsking(() => {
    let left = false;
    setServers(null);
    setProblem(null);
    api.get<{ servers: Server[] }>(`/releases/${encodeURIComponent(release)}/routes`).then((b) => left || setServers(b.servers), (e) => left || setProblem(e));
    return () => { left = true; };
  }, [release]);
  if (problem) return <p class="facts map-help">{words.onlyRecorded}</p>;
  if (!servers) return <p class="quiet loading">{all.loading}</p>;
  const toggle = (key: string) => setOpen((known) => { const next = new Set(known); if (!next.delete(key)) next.add(key); return next; });
  const call = (n: number, label: string) => (n < 0 ? null : <button class="link" onClick={() => openCall(page, place, n, begin())}>{label}</button>);
  const total = servers.reduce((n, s) => n + s.routes, 0);
  const routes = (list: Route[]) => (
    <table class="boot-routes">
      <thead><tr><th>{words.method}</th><th>{words.path}</th><th>{words.handler}</th></tr></thead>
      <tbody>{list.map((r) => <tr><td>{r.method}</td><td>{call(r.call, r.path)}</td><td>{short(r.handler)}</td></tr>)}</tbody>
    </table>
  );
  // The server that was built last comes first.
  return (
    <section class="boot" aria-label={words.boot}>
      <h2>{words.boot}</h2>
      <p class="facts">{words.bootHelp(thousands(total))}</p>
      {[...servers].reverse().map((s, i) => (
        <Fragment>
          {i > 0 && <p class="hands-on" aria-label={words.handsOn}><span aria-hidden="true">↓</span> {words.handsOn}</p>}
          <div class="boot-server">
            <h3><span class="of">{s.name || words.unknownServer}</span> <span class="quiet">{words.routes(thousands(s.routes))} · {words.after(seconds(s.startNs))}</span> {call(s.call, words.made)}</h3>
            <ul>
              {s.groups.map((g) => {
                const key = `${s.name}/${g.groupVersion}`;
                return (
                  <li>
                    <button class="opens" aria-expanded={open.has(key)} onClick={() => toggle(key)}>{g.groupVersion} <span class="quiet">{words.holds(words.resources(g.resources.length), words.routes(thousands(g.routes)))}</span></button>
                    {open.has(key) && (
                      <div class="boot-group">
                        <p>{words.after(seconds(g.startNs))} · {call(g.call, words.made)}</p>
                        <ul>
                          {g.resources.map((r) => {
                            const inner = `${key}/${r.name}`;
                            return (
                              <li>
                                <button class="opens" aria-expanded={open.has(inner)} onClick={() => toggle(inner)}>{r.name} <span class="quiet">{words.routes(String(r.routes.length))}</span></button>
                                {open.has(inner) && (
                                  <div class="boot-resource">
                                    <dl>
                                      <div><dt>{words.storage}</dt><dd>{r.storage || words.none}</dd></div>
                                      <div><dt>{words.strategy}</dt><dd>{r.strategy || words.none}</dd></div>
                                    </dl>
                                    <p>{call(r.call, words.registered)}{r.call >= 0 && r.store >= 0 && ' · '}{call(r.store, words.completed)}</p>
                                    {routes(r.routes)}
                                  </div>
                                )}
                              </li>
                            );
                          })}
                        </ul>
                        {g.others.length > 0 && <Fragment><p class="quiet">{words.others}</p>{routes(g.others)}</Fragment>}
                      </div>
                    )}
                  </li>
                );
              })}
              {s.others.length > 0 && (
                <li>
                  <button class="opens" aria-expanded={open.has(s.name + '//')} onClick={() => toggle(s.name + '//')}>{words.others} <span class="quiet">{s.others.length}</span></button>
                  {open.has(s.name + '//') && <div class="boot-group">{routes(s.others)}</div>}
                </li>
              )}
            </ul>
          </div>
        </Fragment>
      ))}
    </section>
  );
}
