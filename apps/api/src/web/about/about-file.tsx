import { type VNode } from 'preact';
import { type AboutFacts } from '../../charts/about-facts';
import { type Columns } from '../../charts/columns/column';
import { type FileGuide } from '../../charts/file-guide';
import { type RequestContext } from '../charts/chart-subject';

/** Path and query of an example. */
export function exampleUrl(
  { path }: Pick<FileGuide, 'path'>,
  example: Readonly<Record<string, string>>,
  token?: string,
): string {
  const query = new URLSearchParams({ ...example, ...(token !== undefined && { token }) });
  return `/data-charts/v1/${path}?${query}`;
}

interface AboutFileProps {
  readonly guide: FileGuide;
  readonly facts: AboutFacts;
  readonly context: RequestContext;
}

/** One endpoint: summary, working example, parameters and columns. */
export function AboutFile({ guide, facts: { examples }, context }: AboutFileProps): VNode {
  const example = examples && guide.example(examples);
  return (
    <article class="file">
      <h3>{guide.title}</h3>
      <p>{guide.summary}</p>
      {example && (
        <p>
          <a href={exampleUrl(guide, example, context.token)}>
            <code>{exampleUrl(guide, example)}</code>
          </a>
          {guide.hasChart && (
            <>
              {' '}
              · <a href={exampleUrl(guide, { ...example, format: 'html' }, context.token)}>as a chart</a>
            </>
          )}
        </p>
      )}
      <p class="quiet">
        Parameters: <Codes names={guide.parameters} />. Options: <Codes names={guide.options} />
        {guide.path === 'contributions/search' && (
          <>
            . Requires an API key with the scope <code>charts:rows</code>. To resume an interrupted download, add{' '}
            <code>after=</code> with the last SUB_ID you have
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
