import { type RefreshReport, type StoredRelease } from '@donorlens/reference-data';
import { grouped } from '@donorlens/primitives';
import { table } from '../table';

export function releaseTable(releases: readonly StoredRelease[]): string {
  if (releases.length === 0) return 'no release yet';
  return table(
    ['RELEASE', 'STATE', 'LABEL', 'MADE', 'BYTES', 'FILES', 'READABLE'],
    releases.map((release) => [
      release.id,
      release.state,
      release.label,
      release.createdAt.toISOString().slice(0, 16).replace('T', ' '),
      grouped(release.bytes),
      String(release.provenance.length),
      release.readable ? 'yes' : 'no, by another version',
    ]),
  );
}

const OUTCOME: Record<RefreshReport['outcome'], string> = {
  activated: 'is active now',
  stored: 'is stored, another one is active',
  unchanged: 'is active already: the files are the same',
  withdrawn: 'was rolled back before: nothing was done, bin/donorlens release activate brings it back',
  'dry-run': 'would be active: nothing was stored',
};

/** What a refresh found and did, for the eye. */
export function refreshText(report: RefreshReport): string {
  const lines = [
    `release ${report.releaseId} (${report.label}, ${grouped(report.bytes)} bytes) ${OUTCOME[report.outcome]}`,
    ...report.provenance.map(
      ({ file, rows, url }) => `  ${file.padEnd(34)} ${grouped(rows).padStart(10)} rows  ${url}`,
    ),
    `  ${report.checks.length} checks passed`,
  ];
  if (!report.diff) return lines.join('\n');
  const { diff } = report;
  const changes = (['firstNames', 'surnames2000', 'surnames2010', 'counties'] as const).map((what) => {
    const { added, removed, changed } = diff[what];
    return `  ${what.padEnd(13)} ${grouped(added)} added, ${grouped(removed)} removed, ${grouped(changed)} changed`;
  });
  const moves = diff.largestMoves.map(({ name, from, to }) => `${name} ${from} to ${to}`).join(', ');
  return [
    ...lines,
    `against ${diff.before}:`,
    ...changes,
    `  births        ${grouped(diff.birthsBefore)} to ${grouped(diff.birthsAfter)}, up to ${diff.lastDataYearBefore} to ${diff.lastDataYearAfter}`,
    `  median ages   ${grouped(diff.mediansMoved)} names move${moves ? `: ${moves}` : ''}`,
  ].join('\n');
}
