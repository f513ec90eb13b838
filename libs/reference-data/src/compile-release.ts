import { basename } from 'node:path';
import { buildStepTable } from '@donorlens/demographics';
import { civilDay } from '@donorlens/primitives';
import { readBirthNames } from './birth-names';
import { readCountyIncome } from './county-income';
import { readCountyList } from './county-list';
import { PackedCountyTable, countyColumns } from './county-table';
import { joinLifeTables, readLifeTable } from './life-tables';
import { LayoutError } from './reference-data-error';
import { type Provenance, type ReleaseLabel, encodeRelease } from './release';
import { checkLoaded } from './release-checks';
import { type SourceFile, type SourceFiles, lifeTableName } from './source-files';
import { readSurnames } from './surnames';

/** Dates for which the step table answers: every cycle the FEC publishes contributions of, and some years ahead. */
export const STEP_WINDOW = { from: civilDay(1976, 1, 1), to: civilDay(2035, 12, 31) } as const;

export interface CompileOptions {
  readonly label: ReleaseLabel;
  /** ISO 8601, UTC */
  readonly createdAt: string;
  /** false leaves the step table out: every age is then summed directly, with equal answers */
  readonly steps?: boolean;
  readonly onProgress?: (step: string) => void;
}

/**
 * Reads, checks and packs the source files into one release binary.
 * @throws LayoutError, ZipError, CheckError; nothing is half done
 */
export async function compileRelease(files: SourceFiles, options: CompileOptions): Promise<Uint8Array<ArrayBuffer>> {
  const say = options.onProgress ?? (() => undefined);
  say('reading first names');
  const { births, facts: birthFacts } = await readBirthNames(files.birthNames.file, files.birthNames.bytes);
  say('reading life tables');
  const lifeTables = files.lifeTables.map(lifeTableOf);
  const life = joinLifeTables(lifeTables);
  say('reading surnames');
  const surnames2000 = await readSurnames(files.surnames2000.file, 2000, files.surnames2000.bytes);
  const surnames2010 = await readSurnames(files.surnames2010.file, 2010, files.surnames2010.bytes);
  say('reading counties');
  const income = readCountyIncome(files.income.file, files.income.bytes);
  const listed = readCountyList(files.counties.file, files.counties.bytes);
  say('checking');
  const checks = checkLoaded(
    { births, birthFacts, life, surnames2000: surnames2000.facts, surnames2010: surnames2010.facts, income, listed },
    options.label === 'sample' ? 'sample' : 'published',
  );
  say('building the step table');
  const steps = options.steps === false ? null : buildStepTable(births, life, STEP_WINDOW);
  say('packing');
  const provenance = [
    origin(files.birthNames, birthFacts.rows),
    ...files.lifeTables.map((file, i) => origin(file, lifeTables[i].q.length)),
    origin(files.surnames2000, surnames2000.facts.rows),
    origin(files.surnames2010, surnames2010.facts.rows),
    origin(files.income, income.counties.length + income.states + 1),
    origin(files.counties, listed.length),
  ];
  const tables = { births, life, steps, surnames2000: surnames2000.table, surnames2010: surnames2010.table };
  return encodeRelease(
    { tables, counties: new PackedCountyTable(countyColumns(listed, income)) },
    { label: options.label, createdAt: options.createdAt, provenance, checks },
  );
}

function lifeTableOf(file: SourceFile) {
  const name = lifeTableName(basename(file.file));
  if (name === null) throw new LayoutError(file.file, null, 'is no PerLifeTables_{F,M}_{Hist,Alt2}_TRyyyy.csv');
  return readLifeTable(file.file, name.sex, file.bytes);
}

const origin = ({ file, url, retrievedAt, sha256, bytes }: SourceFile, rows: number): Provenance => ({
  file,
  url,
  retrievedAt,
  sha256,
  bytes: bytes.length,
  rows,
});
