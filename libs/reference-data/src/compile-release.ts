import { basename, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type BirthTable, buildStepTable } from '@donorlens/demographics';
import { civilDay, DomainError } from '@donorlens/primitives';
import { type AcsTable, readAreaPeople, readTractIncomes } from './tables/acs-files';
import { readBirthNames } from './tables/birth-names';
import { type FirstNameFile, readFirstNames } from './tables/first-names';
import { readCountyIncome, readCountyList } from './tables/county-files';
import { PackedCountyTable, countyColumns } from './tables/county-table';
import { joinLifeTables, readLifeTable } from './tables/life-tables';
import { LayoutError } from './reference-data-error';
import { type Provenance, type ReleaseLabel, encodeRelease } from './releases/release';
import { checkLoaded } from './releases/release-checks';
import {
  type SourceFile,
  type SourceFiles,
  type StreamedFile,
  LAYOUT,
  WITHOUT,
  acsName,
  allFiles,
  parseLifeTableName,
  FolderSource,
  type SuppliedFiles,
} from './data-source';
import { type SurnameFile, readSurnames } from './tables/surnames';
import { readZipCounties } from './tables/zip-counties';

/** Dates for which the step table answers: every cycle the FEC publishes contributions of, and some years ahead. */
export const STEP_WINDOW = { from: civilDay(1976, 1, 1), to: civilDay(2035, 12, 31) } as const;

/** For a release compiled without the file. */
const ZIP_COUNTIES = LAYOUT.zipCounties;
export const NO_ZIP_COUNTIES = `${ZIP_COUNTIES} is missing: rows without a street get no county and no income`;

const acsFile = (table: AcsTable): string => `${LAYOUT.acs}/${acsName('YYYY', table)}`;
export const NO_AREA_PEOPLE = `${acsFile('b03002')} is missing: no ethnicity by place`;
export const NO_TRACT_INCOMES = `${acsFile('b19013')} is missing: no incomes of tracts`;
/** Parts that the release lacks, from the files it was compiled from. */
export const missingParts = (provenance: readonly { readonly file: string }[]): string[] => {
  const lacks = (ending: string): boolean => !provenance.some(({ file }) => file.endsWith(ending));
  return [
    ...(lacks(ZIP_COUNTIES) ? [NO_ZIP_COUNTIES] : []),
    ...(lacks('-b03002.dat') ? [NO_AREA_PEOPLE] : []),
    ...(lacks('-b19013.dat') ? [NO_TRACT_INCOMES] : []),
  ];
};

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
  const surnames2020 =
    files.surnames2020 && (await readSurnames(files.surnames2020.file, 2020, files.surnames2020.bytes));
  const firstNames = readFirstNamesByRace(files, births);
  say('reading counties');
  const income = readCountyIncome(files.income.file, files.income.bytes);
  const listed = readCountyList(files.counties.file, files.counties.bytes);
  missingParts(allFiles(files)).forEach(say);
  const zips = files.zipCounties && readZipCounties(files.zipCounties.file, files.zipCounties.bytes);
  const [areas, tractIncomes] = await readAcs(files, say);
  say('checking');
  const checks = checkLoaded(
    {
      ...{ births, birthFacts, life, income, listed, zips, firstNames, areas, tractIncomes },
      ...{ surnames2000: surnames2000.facts, surnames2010: surnames2010.facts },
      surnames2020: surnames2020 && surnames2020.facts,
    },
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
    ...(files.surnames2020 && surnames2020 ? [origin(files.surnames2020, surnames2020.facts.rows)] : []),
    ...(files.firstNames && firstNames ? [origin(files.firstNames, firstNames.rows)] : []),
    origin(files.income, income.counties.length + income.states + 1),
    origin(files.counties, listed.length),
    ...(files.zipCounties && zips ? [origin(files.zipCounties, zips.rows)] : []),
    ...(files.areaPeople && areas ? [origin(files.areaPeople, areas.rows)] : []),
    ...(files.tractIncomes && tractIncomes ? [origin(files.tractIncomes, tractIncomes.codes.length)] : []),
  ];
  const tables = {
    ...{ births, life, steps, surnames2000: surnames2000.table, surnames2010: surnames2010.table },
    surnames2020: surnames2020?.table,
  };
  const counties = new PackedCountyTable(countyColumns(listed, income), zips && zips.columns);
  const geography = areas && { ...areas, firstNames, otherNames: otherNamesOf(files.surnames2010.file, surnames2010) };
  return encodeRelease(
    { tables, counties, geography, tractIncomes },
    { label: options.label, createdAt: options.createdAt, provenance, checks },
  );
}

/** @returns null without the file. @throws LayoutError without people by area */
function readFirstNamesByRace({ firstNames, areaPeople }: SourceFiles, births: BirthTable): FirstNameFile | null {
  if (!firstNames) return null;
  if (!areaPeople)
    throw new LayoutError(
      firstNames.file,
      null,
      `is used for ethnicity by place only. ${NO_AREA_PEOPLE}; add it, or use ${WITHOUT.firstNames}`,
    );
  return readFirstNames(firstNames.file, firstNames.bytes, births.names);
}

async function readAcs(files: SourceFiles, say: (step: string) => void) {
  if (files.areaPeople || files.tractIncomes) say('reading areas');
  return [
    files.areaPeople && (await readAreaPeople(files.areaPeople)),
    files.tractIncomes && (await readTractIncomes(files.tractIncomes)),
  ] as const;
}

/** @throws LayoutError */
function otherNamesOf(file: string, { otherNames }: SurnameFile): Uint16Array {
  if (otherNames === null)
    throw new LayoutError(file, null, 'has no row ALL OTHER NAMES, which ethnicity by place needs');
  return Uint16Array.from(otherNames);
}

function lifeTableOf(file: SourceFile) {
  const name = parseLifeTableName(basename(file.file));
  if (name === null) throw new LayoutError(file.file, null, 'is no PerLifeTables_{F,M}_{Hist,Alt2}_TRyyyy.csv');
  return readLifeTable(file.file, name.sex, file.bytes);
}

const origin = (source: SourceFile | StreamedFile, rows: number): Provenance => ({
  file: source.file,
  url: source.url,
  retrievedAt: source.retrievedAt,
  sha256: source.sha256,
  bytes: 'bytes' in source ? source.bytes.length : source.length,
  rows,
});

/** An error of the thread that reads the files, with its code and message. */
class RefusedError extends DomainError {
  constructor(
    readonly code: string,
    message: string,
    values: DomainError['values'],
  ) {
    super(message, values);
  }
}

const WORKER = require.resolve('./compile-worker');

/**
 * Small, so that the garbage of parsing is collected early: the peak of the process falls from 422 to 366 MB, the time
 * stays.
 */
const YOUNG_MB = 8;

/**
 * Runs `compileRelease` in a thread of its own, because it takes seconds and the caller has to renew a lease. If the
 * code is not compiled (tests run from TypeScript), it runs in the caller's thread.
 * @param signal - ends the thread at once, so that a process that stops does not wait for it
 */
export function compileInThread(
  files: SourceFiles,
  options: CompileOptions,
  signal?: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  signal?.throwIfAborted();
  const { onProgress, ...plain } = options;
  if (!WORKER.endsWith('.js')) return compileRelease(files, options);
  const task: CompileTask = { ...plain, files };
  return new Promise((resolve, reject) => {
    const worker = new Worker(WORKER, { workerData: task, resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB } });
    worker.on('message', (answer: CompileAnswer) => {
      if ('step' in answer) onProgress?.(answer.step);
      else if ('binary' in answer) resolve(answer.binary);
      else reject(new RefusedError(answer.refused.code, answer.refused.message, answer.refused.values));
    });
    const giveUp = (): void => {
      reject(
        signal?.reason instanceof Error ? signal.reason : new Error('the compilation of the data release was aborted'),
      );
      void worker.terminate();
    };
    signal?.addEventListener('abort', giveUp, { once: true });
    worker.on('error', reject);
    worker.on('exit', (code) => {
      signal?.removeEventListener('abort', giveUp);
      reject(new Error(`the compiling thread ended with code ${code} and no answer`));
    });
  });
}

/** What the thread is given: files as plain bytes, and the options without their function. */
export interface CompileTask extends Omit<CompileOptions, 'onProgress'> {
  readonly files: SourceFiles;
}

export type CompileAnswer =
  | { readonly step: string }
  | { readonly binary: Uint8Array<ArrayBuffer> }
  | { readonly refused: { readonly code: string; readonly message: string; readonly values: DomainError['values'] } };

/** Buffers arrive in another thread as plain byte arrays; this makes them buffers again, without copying. */
export const withBuffers = (files: SourceFiles): SourceFiles => {
  const buffer = (file: SourceFile): SourceFile => ({
    ...file,
    bytes: Buffer.from(file.bytes.buffer, file.bytes.byteOffset, file.bytes.byteLength),
  });
  return {
    birthNames: buffer(files.birthNames),
    lifeTables: files.lifeTables.map(buffer),
    surnames2000: buffer(files.surnames2000),
    surnames2010: buffer(files.surnames2010),
    surnames2020: files.surnames2020 && buffer(files.surnames2020),
    firstNames: files.firstNames && buffer(files.firstNames),
    income: buffer(files.income),
    counties: buffer(files.counties),
    zipCounties: files.zipCounties && buffer(files.zipCounties),
    areaPeople: files.areaPeople,
    tractIncomes: files.tractIncomes,
  };
};

/** The files that ship with the project; the build copies them beside the compiled code. */
export const SAMPLE_FOLDER = join(__dirname, '..', 'sample');

export const sampleSource = (): Promise<FolderSource> => FolderSource.open(SAMPLE_FOLDER);

interface FolderOptions {
  readonly steps?: boolean;
  readonly onProgress?: (step: string) => void;
  readonly supplied?: SuppliedFiles;
}

/** Compiles a folder of official files (or the sample) without a database. */
export async function compileFolder(
  folder: string,
  { supplied, ...options }: FolderOptions = {},
): Promise<Uint8Array<ArrayBuffer>> {
  const source = await FolderSource.open(folder);
  return compileRelease(await source.fetch({ supplied }), {
    label: source.label,
    createdAt: new Date().toISOString(),
    ...options,
  });
}
