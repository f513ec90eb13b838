import { type LifeTables } from '@donorlens/demographics';
import { LayoutError, forEachLine, parseWholeNumber } from '../reference-data-error';

export type Sex = 'm' | 'f';
export const AGES = 120;
const HEADER = 'Year,x,q(x),l(x),d(x),L(x),T(x),e(x),D(x),M(x),A(x),N(x),a(x),12a(x)';
const TITLES = { m: 'Males', f: 'Females' } as const;
/** The publisher puts four title lines above the header; some editions had more. */
const MAX_TITLE_LINES = 12;

/** q(x) of one file: `q[(year - firstYear) * 120 + x]`. */
export interface LifeTableFile {
  readonly file: string;
  readonly sex: Sex;
  readonly firstYear: number;
  readonly lastYear: number;
  readonly q: Float64Array;
}

/**
 * Reads one `PerLifeTables_{F,M}_{Hist,Alt2}_TRyyyy.csv`. Only Year, x and q(x) are used: l(x) is rounded to whole
 * survivors and is zero at the oldest ages.
 * @throws LayoutError when the header differs, a year or age is missing, or q(x) is no probability
 */
export function readLifeTable(file: string, sex: Sex, bytes: Buffer): LifeTableFile {
  const q: number[] = [];
  let firstYear = 0;
  let headerLine = 0;
  let title: string | undefined;
  forEachLine(bytes, (text, line) => {
    if (headerLine === 0) {
      if (text === HEADER) headerLine = line;
      else if (text.startsWith('Year') || line > MAX_TITLE_LINES)
        throw new LayoutError(file, line, `the header is not ${HEADER}`);
      else if (/^"?(males|females)\b/i.test(text)) title = text;
      return;
    }
    const [year, age, probability] = rowOf(file, line, text);
    if (q.length === 0) firstYear = year;
    if (year !== firstYear + Math.floor(q.length / AGES) || age !== q.length % AGES)
      throw new LayoutError(file, line, `year ${year} age ${age} is out of order`);
    q.push(probability);
  });
  if (headerLine === 0) throw new LayoutError(file, null, 'has no header line');
  if (title !== undefined && !title.replace('"', '').startsWith(TITLES[sex]))
    throw new LayoutError(file, null, `is headed ${title.slice(0, 20)}, expected ${TITLES[sex]}`);
  if (q.length === 0 || q.length % AGES !== 0)
    throw new LayoutError(file, null, `ends before age ${AGES - 1} of its last year`);
  return { file, sex, firstYear, lastYear: firstYear + q.length / AGES - 1, q: Float64Array.from(q) };
}

function rowOf(file: string, line: number, text: string): [year: number, age: number, probability: number] {
  const fields = text.split(',');
  if (fields.length !== 14) throw new LayoutError(file, line, `has ${fields.length} fields, expected 14`);
  const probability = /^[01]?(\.\d+)?$/.test(fields[2]) && fields[2] !== '' ? Number(fields[2]) : NaN;
  if (!(probability >= 0 && probability <= 1)) throw new LayoutError(file, line, 'q(x) is not between 0 and 1');
  return [parseWholeNumber(file, line, 'Year', fields[0]), parseWholeNumber(file, line, 'x', fields[1]), probability];
}

/** Joins the observed and the projected file of each sex; the second must continue after the last year of the first. */
export function joinLifeTables(files: readonly LifeTableFile[]): LifeTables {
  const chain = (sex: Sex): LifeTableFile[] =>
    files.filter((table) => table.sex === sex).sort((a, b) => a.firstYear - b.firstYear);
  const [male, female] = [chain('m'), chain('f')];
  for (const tables of [male, female])
    for (let i = 1; i < tables.length; i++)
      if (tables[i].firstYear !== tables[i - 1].lastYear + 1)
        throw new LayoutError(
          tables[i].file,
          null,
          `begins with ${tables[i].firstYear}, but ${tables[i - 1].file} ends with ${tables[i - 1].lastYear}`,
        );
  const span = (tables: LifeTableFile[]) => `${tables[0]?.firstYear}-${tables[tables.length - 1]?.lastYear}`;
  if (male.length === 0 || female.length === 0 || span(male) !== span(female))
    throw new LayoutError(
      'life tables',
      null,
      `males cover ${span(male)}, females ${span(female)}; they must be the same`,
    );
  const years = male[male.length - 1].lastYear - male[0].firstYear + 1;
  const q = new Float64Array(2 * years * AGES);
  let at = 0;
  for (const table of [...male, ...female]) {
    q.set(table.q, at);
    at += table.q.length;
  }
  return { firstYear: male[0].firstYear, lastYear: male[male.length - 1].lastYear, q };
}
