import { type VNode } from 'preact';
import { type AboutFacts } from '../../charts/about-facts';
import { count, isoDay, DATA_ORIGIN_LABELS } from '../layout/labels';

/** Source files with the date of retrieval and the checksum. */
export function AboutSources({ facts: { masters, imports, release } }: { readonly facts: AboutFacts }): VNode {
  const files = imports.files.filter(({ kind }) => kind === 'contributions');
  const filings = imports.files.filter(({ kind }) => kind === 'filing');
  return (
    <section id="sources">
      <h2>Sources</h2>
      <h3>Federal Election Commission</h3>
      <ul class="sources">
        {masters.flatMap(({ cycle, label, files: three }) =>
          three.map(({ kind, source, sha256, retrievedAt }) => (
            <Source
              what={`${MASTER_LABELS[kind]} ${cycle}`}
              at={new Date(retrievedAt)}
              {...{ source, sha256, label }}
            />
          )),
        )}
        {files.map(({ cycle, source, sha256, rows, label, at }) => (
          <Source what={`contributions ${cycle}, ${count(rows)} rows`} {...{ source, sha256, label, at }} />
        ))}
        {filings.map(({ source, sha256, rows, label, at }) => (
          <Source what={`electronic filing, ${count(rows)} rows`} {...{ source, sha256, label, at }} />
        ))}
      </ul>
      {imports.filings > filings.length && (
        <p class="quiet">And {count(imports.filings - filings.length)} more filings.</p>
      )}
      <h3>Names, mortality, surnames, income</h3>
      {release === null ? (
        <p>The reference data is not loaded yet.</p>
      ) : (
        <>
          <p class="quiet">
            Data release <code>{release.id}</code>: {DATA_ORIGIN_LABELS[release.label]}
          </p>
          <ul class="sources">
            {release.provenance.map(({ file, url, sha256, retrievedAt }) => (
              <Source what={file} source={url} at={new Date(retrievedAt)} label={release.label} sha256={sha256} />
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

const MASTER_LABELS = { cn: 'candidates', cm: 'committees', ccl: 'linkages' } as const;

interface SourceProps {
  readonly what: string;
  readonly source: string;
  readonly at: Date;
  readonly label: keyof typeof DATA_ORIGIN_LABELS;
  readonly sha256: string | null;
}

const Source = ({ what, source, at, label, sha256 }: SourceProps): VNode => (
  <li>
    {what},{' '}
    <span class="quiet">
      {DATA_ORIGIN_LABELS[label]}, {isoDay(at)}
    </span>
    <br />
    {shownSource(source) !== what && <code>{shownSource(source)}</code>}
    {sha256 !== null && (
      <span class="quiet">
        {' '}
        sha256 <code>{sha256}</code>
      </span>
    )}
  </li>
);

/** The URL of a published file; for a local file only the part of the path that follows the layout of the publisher. */
const shownSource = (source: string): string =>
  /^https?:/.test(source)
    ? source
    : (/^(?:.*\/)?((?:fec|ssa|census)\/.+)$/.exec(source)?.[1] ?? source.replace(/^.*\//, ''));
