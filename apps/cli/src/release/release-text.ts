import { type RefreshReport, type StoredRelease, missingParts } from '@donorlens/reference-data';
import { grouped } from '@donorlens/primitives';
import { table } from '../program-context';

export function releaseTable(releases: readonly StoredRelease[]): string {
  if (releases.length === 0) return 'no data release yet';
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
  stored: 'is stored, another release is active',
  unchanged: 'is already active: the files are the same',
  withdrawn: 'was rolled back before and stays inactive; activate it with bin/donorlens release activate',
  'dry-run': 'would be activated; nothing was stored (dry run)',
};

/** Formats the report of a data refresh. */
export function refreshText(report: RefreshReport): string {
  const lines = [
    `release ${report.releaseId} (${report.label}, ${grouped(report.bytes)} bytes) ${OUTCOME[report.outcome]}`,
    ...report.provenance.map(
      ({ file, rows, url }) => `  ${file.padEnd(34)} ${grouped(rows).padStart(10)} rows  ${url}`,
    ),
    ...missingParts(report.provenance).map((part) => `  ${part}`),
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
