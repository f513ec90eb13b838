import {
  type FilingReport,
  type ImportProgress,
  type ImportReport,
  type MastersReport,
  type StoredImport,
} from '@donorlens/imports';
import { counted, grouped } from '@donorlens/primitives';
import { megabytes } from '../batch/progress-text';
import { table } from '../table';

const dollars = (cents: number): string => `$${(cents / 100).toLocaleString('en-US', { minimumFractionDigits: 2 })}`;

export function importLine(progress: ImportProgress): string {
  if (progress.phase === 'finishing') return 'finishing: comparing with what was there before';
  if (progress.isStalled) return 'waiting: no worker takes the chunks; is donorlens running?';
  const { bytesRead, bytesTotal, linesRead, kept, rowsDone } = progress;
  const read = bytesTotal === null ? megabytes(bytesRead) : `${megabytes(bytesRead)} of ${megabytes(bytesTotal)}`;
  const what = progress.phase === 'reading' ? `read ${read}, ${grouped(linesRead)} lines` : 'read to the end';
  return `${what}; ${grouped(kept)} kept, ${grouped(rowsDone)} enriched`;
}

export function mastersText(report: MastersReport): string[] {
  if (report.outcome === 'unchanged')
    return [`masters of ${report.cycle}: unchanged, the files are those of import ${report.importId}`];
  return [
    `masters of ${report.cycle}: imported (${report.label})`,
    ...report.files.map(
      ({ kind, lines, kept, rejected }) =>
        `  ${kind.padEnd(4)} ${grouped(lines).padStart(8)} lines, ${grouped(kept)} presidential${faults(rejected)}`,
    ),
    ...(report.sampleCleared ? ['  the sample is gone: these are the first real data'] : []),
  ];
}

export function contributionsText(report: ImportReport): string[] {
  if (report.outcome === 'unchanged')
    return [`contributions of ${report.cycle}: unchanged, this file is in; --again reads it once more`];
  const { linesRead, kept, otherCommittees, conduitCopies, rejected, duplicates, removed, stored } = report;
  return [
    `contributions of ${report.cycle}: imported`,
    `  ${counted(linesRead, 'line')} read, ${grouped(kept)} of presidential committees, ${grouped(otherCommittees)} of others`,
    ...(kept === 0 ? ['  not one of them belongs to a presidential committee'] : []),
    ...(conduitCopies > 0
      ? [`  ${grouped(conduitCopies)} of the others are conduits' copies of gifts to one; not kept`]
      : []),
    ...Object.entries(rejected).map(([code, n]) => `  ${grouped(n)} unreadable: ${code}`),
    ...(duplicates > 0 ? [`  ${counted(duplicates, 'line')} with a SUB_ID that was there before`] : []),
    ...(removed > 0 ? [`  ${counted(removed, 'row')} removed that the file does not hold any more`] : []),
    ...(report.removalsSkipped ? [`  nothing was removed: ${report.removalsSkipped} (--remove-missing)`] : []),
    `  ${counted(stored, 'row')} stored, ${dollars(report.moneyCents)} from ${counted(report.donors, 'donor')}`,
    ...report.nearestLinkage.map(
      ({ committeeId, linkageCycle }) =>
        `  ${committeeId} has no linkage in ${report.cycle}; that of ${linkageCycle} stands in`,
    ),
    ...(Object.keys(rejected).length > 0
      ? [`  bin/donorlens import rejects ${report.importId} shows the unreadable lines`]
      : []),
  ];
}

export function filingsText(filings: readonly FilingReport[]): string[] {
  const read = filings.filter(({ outcome }) => outcome !== 'passed_over');
  const passedOver = filings.length - read.length;
  return [
    ...read.flatMap(filingText),
    ...(passedOver > 0 ? [`${counted(passedOver, 'filing')} passed over: nothing for a presidential committee`] : []),
  ];
}

function filingText({ file, outcome, error, committeeName, kept, notes }: FilingReport): string[] {
  return [
    `filing ${file}: ${outcome}${error ? `: ${error.message}` : ''}${committeeName ? `, ${committeeName}` : ''}`,
    ...(kept === undefined ? [] : [`  ${counted(kept, 'row')} kept`]),
    ...notes.map((note) => `  ${note}`),
  ];
}

export function importTable(imports: readonly StoredImport[]): string {
  if (imports.length === 0) return 'nothing was imported yet';
  return table(
    ['IMPORT', 'KIND', 'CYCLE', 'STATE', 'LABEL', 'BEGUN', 'LINES', 'KEPT', 'REJECTED', 'SOURCE'],
    imports.map((one) => [
      one.id,
      one.kind,
      String(one.cycle),
      one.errorCode === null ? one.state : `${one.state}: ${one.errorCode}`,
      one.label,
      one.startedAt.toISOString().slice(0, 16).replace('T', ' '),
      grouped(one.linesRead),
      grouped(one.kept),
      grouped(one.rejected),
      one.source,
    ]),
  );
}

const faults = (rejected: Readonly<Record<string, number>>): string =>
  Object.entries(rejected)
    .map(([code, n]) => `, ${grouped(n)} ${code}`)
    .join('');
