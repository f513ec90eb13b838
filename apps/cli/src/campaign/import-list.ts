import {
  ImportRepository,
  type FilingReport,
  type ImportProgress,
  type ImportReport,
  type MastersReport,
  type StoredImport,
} from '@donorlens/imports';
import { csvText } from '@donorlens/tabular';
import { counted, grouped } from '@donorlens/primitives';
import { databaseUrlOf } from '../database-url';
import { EXIT, type ExitCode, usageError } from '../exit-code';
import { type Context, table } from '../program-context';
import { withPool } from '../with-pool';
import { megabytes } from '../batch/progress';

export async function importList(
  context: Context,
  { limit, json }: { readonly limit: number; readonly json?: boolean },
): Promise<ExitCode> {
  const imports = await withPool(databaseUrlOf(), (pool) => new ImportRepository(pool).list({ limit }));
  context.out(json ? JSON.stringify(imports, null, 2) : importTable(imports));
  return EXIT.ok;
}

export async function importRejects(context: Context, id: string): Promise<ExitCode> {
  if (!/^\d{1,18}$/.test(id)) throw usageError('the argument is not an import number; see bin/donorlens import list');
  await withPool(databaseUrlOf(), async (pool) => {
    if (!(await new ImportRepository(pool).exists(id)))
      throw usageError(`import ${id} does not exist; see bin/donorlens import list`);
    context.out(csvText([['LINE', 'REASON', 'RECORD']]).slice(0, -1));
    for await (const { line, code, record } of new ImportRepository(pool).rejects(id))
      context.out(csvText([[line, code, record]]).slice(0, -1));
  });
  return EXIT.ok;
}

const MAX_UNLINKED = 5;
const dollars = (cents: number): string => `$${(cents / 100).toLocaleString('en-US', { minimumFractionDigits: 2 })}`;

export function importLine(progress: ImportProgress): string {
  if (progress.phase === 'finishing') return 'finishing: comparing with the previous rows';
  if (progress.isStalled) return 'waiting: no worker takes the chunks; check that donorlens is running';
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
        `  ${kind.padEnd(4)} ${grouped(lines).padStart(8)} lines, ${grouped(kept)} kept${faults(rejected)}`,
    ),
    ...(report.sampleCleared ? ['  the sample was removed: these are the first real data'] : []),
  ];
}

export function contributionsText(report: ImportReport): string[] {
  if (report.outcome === 'unchanged')
    return [`contributions of ${report.cycle}: unchanged, the file was imported before; --again imports it again`];
  const { linesRead, kept, otherCommittees, conduits, rejected, duplicates, removed, stored } = report;
  return [
    `contributions of ${report.cycle}: imported`,
    `  ${counted(linesRead, 'line')} read, ${grouped(kept - conduits.kept)} of committees of the imported offices, ${grouped(otherCommittees)} of others`,
    ...(kept === 0 ? ['  none of them belongs to a committee of an imported office'] : []),
    ...(conduits.kept > 0
      ? [
          `  ${counted(conduits.kept, 'row')} of conduits for them: ${grouped(conduits.matched)} match a row of the committee, ` +
            `${grouped(conduits.counted)} count`,
        ]
      : []),
    ...Object.entries(rejected).map(([code, n]) => `  ${grouped(n)} invalid: ${code}`),
    ...(duplicates > 0 ? [`  ${counted(duplicates, 'line')} with a SUB_ID that occurred before`] : []),
    ...(removed > 0 ? [`  ${counted(removed, 'row')} removed that are no longer in the file`] : []),
    `  ${counted(stored, 'row')} stored, ${dollars(report.moneyCents)} from ${counted(report.donors, 'donor')}`,
    ...report.unlinked
      .slice(0, MAX_UNLINKED)
      .map(
        ({ committeeId, cycle }) =>
          `  ${committeeId} has no linkage in ${cycle}: its rows count in its own charts only`,
      ),
    ...(report.unlinked.length > MAX_UNLINKED
      ? [`  and ${counted(report.unlinked.length - MAX_UNLINKED, 'other committee')} (--json lists all)`]
      : []),
    ...(Object.keys(rejected).length > 0
      ? [`  bin/donorlens import rejects ${report.importId} shows the invalid lines`]
      : []),
  ];
}

export function filingsText(filings: readonly FilingReport[]): string[] {
  const read = filings.filter(({ outcome }) => outcome !== 'passed_over');
  const passedOver = filings.length - read.length;
  return [
    ...read.flatMap(filingText),
    ...(passedOver > 0 ? [`${counted(passedOver, 'filing')} skipped: no committee of an imported office`] : []),
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
  if (imports.length === 0) return 'no imports yet';
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
