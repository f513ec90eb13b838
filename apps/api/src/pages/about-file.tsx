import { type VNode } from 'preact';
import { type AboutFacts } from '../data-charts/about-facts';
import { type Columns } from '../data-charts/columns/column';
import { type FileGuide } from '../data-charts/file-guide';
import { type Visit } from './visit';

/** Path and query of a question. */
export function exampleUrl(
  { path }: Pick<FileGuide, 'path'>,
  question: Readonly<Record<string, string>>,
  token?: string,
): string {
  const query = new URLSearchParams({ ...question, ...(token !== undefined && { token }) });
  return `/data-charts/v1/${path}?${query}`;
}

interface AboutFileProps {
  readonly guide: FileGuide;
  readonly facts: AboutFacts;
  readonly visit: Visit;
}

/** One endpoint: what it gives, an example that works, its parameters and its columns. */
export function AboutFile({ guide, facts: { examples }, visit }: AboutFileProps): VNode {
  const question = examples && guide.example(examples);
  return (
    <article class="file">
      <h3>{guide.title}</h3>
      <p>{guide.summary}</p>
      {question && (
        <p>
          <a href={exampleUrl(guide, question, visit.token)}>
            <code>{exampleUrl(guide, question)}</code>
          </a>
          {guide.isDrawn && (
            <>
              {' '}
              · <a href={exampleUrl(guide, { ...question, format: 'html' }, visit.token)}>as a chart</a>
            </>
          )}
        </p>
      )}
      <p class="quiet">
        Asks by <Codes names={guide.parameters} />; further <Codes names={guide.options} />
        {guide.path === 'contributions/search' && (
          <>
            . Needs a key with the scope <code>charts:rows</code>. A file that breaks off goes on with{' '}
            <code>after=</code> and the SUB_ID of the last row you have
          </>
        )}
        .
      </p>
      <details>
        <summary>{Object.keys(guide.columns).length} columns</summary>
        <Dictionary columns={guide.columns} />
      </details>
    </article>
  );
}

const Codes = ({ names }: { readonly names: readonly string[] }): VNode => (
  <>
    {names.map((name, at) => (
      <>
        {at > 0 && ', '}
        <code>{name}</code>
      </>
    ))}
  </>
);

const Dictionary = ({ columns }: { readonly columns: Columns }): VNode => (
  <dl class="dictionary">
    {Object.entries(columns).map(([name, { meaning, unit, source }]) => (
      <div>
        <dt>
          <code>{name}</code>
        </dt>
        <dd>
          {meaning}
          {unit !== undefined && <span class="quiet"> ({unit})</span>}
          <span class="source"> {source}</span>
        </dd>
      </div>
    ))}
  </dl>
);
