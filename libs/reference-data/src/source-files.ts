/** One source file as it was obtained. */
export interface SourceFile {
  /** path in the official layout, such as ssa/names.zip; what messages call the file */
  readonly file: string;
  /** where it was read, without secrets */
  readonly url: string;
  /** ISO 8601, UTC */
  readonly retrievedAt: string;
  readonly sha256: string;
  readonly bytes: Buffer;
}

/** Everything a release is compiled from. */
export interface SourceFiles {
  readonly birthNames: SourceFile;
  /** both sexes, observed and projected years */
  readonly lifeTables: readonly SourceFile[];
  readonly surnames2000: SourceFile;
  readonly surnames2010: SourceFile;
  readonly income: SourceFile;
  readonly counties: SourceFile;
}

export const allFiles = (files: SourceFiles): SourceFile[] => [
  files.birthNames,
  ...files.lifeTables,
  files.surnames2000,
  files.surnames2010,
  files.income,
  files.counties,
];

/** Longest file that is read at all; the largest published one has 10 MB. */
export const MOST_FILE_BYTES = 64 << 20;

const LIFE_TABLE = /^PerLifeTables_([FM])_(Hist|Alt2)_TR(\d{4})\.csv$/;

export interface LifeTableName {
  readonly name: string;
  readonly sex: 'm' | 'f';
  readonly edition: number;
}

/** Reads the name of a period life table file; null for any other name. */
export function lifeTableName(name: string): LifeTableName | null {
  const parts = LIFE_TABLE.exec(name);
  return parts === null ? null : { name, sex: parts[1] === 'M' ? 'm' : 'f', edition: Number(parts[3]) };
}

/** The four files of one edition (year of the Trustees Report). */
export const lifeTableNames = (edition: number): string[] =>
  ['F_Hist', 'F_Alt2', 'M_Hist', 'M_Alt2'].map(
    (part) => `PerLifeTables_${part}_TR${String(edition).padStart(4, '0')}.csv`,
  );
