import { Fragment, h } from 'preact';
import { useState } from 'preact/hooks';
import { Source } from './api.ts';
import { useAsking, usePage } from './context.ts';
import { write } from './link.ts';

interface Method { function: string; name: string; file: string; line: number; scenarios: number; noSpan?: boolean }
interface TypeSource {
  name: string; file: string; line: number; program: string; url?: string; lines: Source['lines']; methods: Method[]; interface?: boolean; recordings: number; facts: string;
}

// TypeView shows a type: its declaration, and facts from recordings and releases. Its
// address is #/type?name=NAME&release=RELEASE.
export function TypeView() {
  const { api, lang, words, address, problem, lost } = usePage();
  const { name = '', release = 'latest' } = address.query;
  const [type, setType] = useState<TypeSource | null>(null);
  useAsking(() => {
    let left = false;
    setType(null);
    problem(null);
    api.get<TypeSource>(`/releases/${encodeURIComponent(release)}/type`, { name, lang }).then((t) => left || setType(t), (e) => left || lost(e));
    return () => { left = true; };
  }, [name, release, lang]);
  if (!type) return <p class="quiet loading">{words.loading}</p>;
  return (
    <div class="found type">
      <h1>{type.name}</h1>
      <p class="file"><span>{type.file}:{type.line}</span> <span class="quiet">{type.program}</span> {type.url && <a href={type.url} target="_blank" rel="noreferrer">{words.upstream} ↗</a>}</p>
      <pre tabIndex={0} role="region" aria-label={type.file}>
        {type.lines.map((l) => <Fragment key={l.number}><span class="quiet">{String(l.number).padStart(5)}   {/* eight columns: tabs stop at every fourth */}</span>{l.tokens.map((t) => t.kind ? <span class={'k-' + t.kind}>{t.text}</span> : t.text)}{'\n'}</Fragment>)}
      </pre>
      <Methods of={type} />
      <h2>{words.typeUse}</h2>
      <pre class="told" tabIndex={0} role="region" aria-label={words.typeUse}>{type.facts}</pre>
    </div>
  );
}

// Methods lists the methods that the declaration does not show. A method with
// recorded calls links to them.
function Methods({ of: type }: { of: TypeSource }) {
  const { words } = usePage();
  const counted = type.recordings > 0 && !type.interface;
  if (type.methods.length === 0) return type.interface ? null : <p class="quiet">{words.noMethods}</p>;
  return (
    <section aria-labelledby="methods">
      <h2 id="methods">{type.interface ? words.methodsEmbedded : words.methods}</h2>
      {counted && <p class="quiet">{words.methodsHelp(type.recordings)}</p>}
      <ul class="methods">
        {type.methods.map((m) => (
          <li key={m.function}>
            {m.scenarios > 0 ? <a class="text" href={write({ parts: ['search'], query: { text: m.function } })}>{m.name}</a> : <span class="text">{m.name}</span>}
            {counted && <span class="quiet">{m.noSpan ? words.noSpan : words.ranIn(m.scenarios)}</span>}
            <span class="quiet">{m.file.slice(m.file.lastIndexOf('/') + 1)}:{m.line}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
