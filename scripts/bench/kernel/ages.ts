import { type AgeEstimator, firstNameKey, type StepTable } from '@donorlens/demographics';
import { type CivilDay } from '@donorlens/primitives';
import { type Release } from '@donorlens/reference-data';
import { alternate, line, type Line, median, ratios } from '../measure';
import { donorWeighted } from '../../../test/support/bench-data/donors';

/**
 * Creates new strings with the same texts, as they come out of requests and files. A reused string would have its hash
 * cached, and a Map would find it by its address.
 */
export class FreshStrings {
  private readonly bytes: Buffer;
  private readonly ends: Uint32Array;

  /** @param texts - Latin-1 only */
  constructor(texts: readonly string[]) {
    this.bytes = Buffer.from(texts.join(''), 'latin1');
    this.ends = new Uint32Array(texts.length);
    let end = 0;
    texts.forEach((text, i) => (this.ends[i] = end += text.length));
  }

  take(): string[] {
    let start = 0;
    return Array.from(this.ends, (end) => {
      const text = this.bytes.toString('latin1', start, end);
      start = end;
      return text;
    });
  }
}

/** Writes one number for each text and its day or year. */
export type Answers = (texts: readonly string[], days: readonly number[], into: Int32Array) => void;

/** Looks up new strings and compares the answers. @returns nanoseconds per answer */
export const timedAnswers =
  (answers: Answers, strings: FreshStrings, days: readonly number[], expected: Int32Array) => (): number => {
    const into = new Int32Array(expected.length);
    const texts = strings.take();
    const start = performance.now();
    answers(texts, days, into);
    const ns = ((performance.now() - start) * 1e6) / expected.length;
    const different = into.reduce((sum, answer, i) => sum + (answer === expected[i] ? 0 : 1), 0);
    if (different > 0) throw new Error(`${different} of ${expected.length} answers differ from the expected ones`);
    return ns;
  };

const QUERIES = 100_000;
const NANOSECONDS = 330;
const OF_BARE = 2;
/** Age and gender as one number: 3 × age + gender code. */
const GENDERS = 3;
const UNKNOWN = -GENDERS;

const genderCode = (gender: 'm' | 'f' | null): number => (gender === 'f' ? 1 : gender === 'm' ? 2 : 0);

const donorlensAnswers =
  (ages: AgeEstimator): Answers =>
  (names, days, into) => {
    for (let i = 0; i < names.length; i++) {
      const at = ages.nameIndex(names[i]);
      into[i] = at < 0 ? UNKNOWN : GENDERS * ages.ageAt(at, days[i]) + genderCode(ages.genderOf(at, days[i]));
    }
  };

const direct =
  (ages: AgeEstimator): Answers =>
  (names, days, into) => {
    for (let i = 0; i < names.length; i++) {
      const at = ages.nameIndex(names[i]);
      into[i] = at < 0 ? UNKNOWN : GENDERS * ages.ageDirect(at, days[i]) + genderCode(ages.genderOf(at, days[i]));
    }
  };

/** The least work of a lookup: names are folded beforehand, and a Map and a step table hold all answers. */
function bare({ demographics, tables }: Release, asked: readonly string[], days: readonly CivilDay[]): Answers {
  const { names } = tables.births;
  const isAsked = new Set(asked);
  const index = new Map<string, number>();
  const changes = new AnswerSteps(demographics.ages, tables.steps, days);
  for (let name = 0; name < names.size; name++) {
    index.set(names.keyAt(name), name);
    changes.push(name, isAsked.has(names.keyAt(name)));
  }
  const { start, day, answer } = changes.packed();
  return (keys, on, into) => {
    for (let i = 0; i < keys.length; i++) {
      const at = index.get(keys[i]);
      into[i] = at === undefined ? UNKNOWN : answer[stepOf(day, start[at], start[at + 1], on[i])];
    }
  };
}

/** The step table of the release with genders, and with looked-up names that the release leaves to the direct sum. */
class AnswerSteps {
  private readonly start = [0];
  private readonly day: number[] = [];
  private readonly answer: number[] = [];
  private readonly from: CivilDay;
  private readonly to: CivilDay;

  constructor(
    private readonly ages: AgeEstimator,
    private readonly steps: StepTable | null,
    days: readonly CivilDay[],
  ) {
    this.from = days.reduce((a, b) => Math.min(a, b));
    this.to = days.reduce((a, b) => Math.max(a, b));
  }

  push(name: number, isAsked: boolean): void {
    const { steps, ages } = this;
    const isTied = ages.genderOf(name, NaN) === null;
    if (steps !== null && steps.start[name] < steps.start[name + 1] && !isTied)
      for (let step = steps.start[name]; step < steps.start[name + 1]; step++)
        this.append(name, steps.from + steps.day[step]);
    else if (isAsked) for (let on = this.from; on <= this.to; on++) this.append(name, on);
    this.start.push(this.day.length);
  }

  packed(): { start: Uint32Array; day: Int32Array; answer: Int16Array } {
    return {
      start: Uint32Array.from(this.start),
      day: Int32Array.from(this.day),
      answer: Int16Array.from(this.answer),
    };
  }

  private append(name: number, on: CivilDay): void {
    const { ages, day, answer } = this;
    const next = GENDERS * ages.ageAt(name, on) + genderCode(ages.genderOf(name, on));
    if (day.length > this.start[this.start.length - 1] && next === answer[answer.length - 1]) return;
    day.push(on);
    answer.push(next);
  }
}

function stepOf(changes: Int32Array, first: number, end: number, on: CivilDay): number {
  let [low, high] = [first, end];
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (changes[middle] <= on) low = middle;
    else high = middle;
  }
  return low;
}

/** Measures age and gender with names and days distributed like donors. Compares every answer of every round. */
export async function ageLines(release: Release, rounds: number): Promise<Line[]> {
  const { ages } = release.demographics;
  const { names, days } = donorWeighted(QUERIES);
  const folded = names.map(firstNameKey);
  const filed = new FreshStrings(names);
  const keys = new FreshStrings(folded);
  const expected = new Int32Array(QUERIES);
  direct(ages)(names, days, expected);
  const variants = {
    bare: timedAnswers(bare(release, folded, days), keys, days, expected),
    donorlens: timedAnswers(donorlensAnswers(ages), filed, days, expected),
    direct: timedAnswers(direct(ages), filed, days, expected),
  };
  for (const warm of Object.values(variants)) warm();
  return lines(await alternate(rounds, variants, 'age and gender'));
}

function lines(times: Readonly<Record<'bare' | 'donorlens' | 'direct', readonly number[]>>): Line[] {
  const label = `age and gender of ${QUERIES.toLocaleString('en-US')} names and days of donors`;
  const shown = (ns: number): string => `${ns.toFixed(0)} ns`;
  const ofBare = ratios(times.donorlens, times.bare);
  const isMet = median(times.donorlens) <= NANOSECONDS && median(ofBare) <= OF_BARE;
  return [
    line({ what: `${label}: a Map of all names, folded, and a step table, the baseline`, values: times.bare, shown }),
    line({
      what: `${label}: donorlens, against the baseline`,
      values: times.donorlens,
      shown,
      against: ofBare,
      target: [`≤ ${NANOSECONDS} ns, ≤ ${OF_BARE}`, isMet],
    }),
    line({
      what: `${label}: the direct sum, and donorlens against it`,
      values: times.direct,
      shown,
      against: ratios(times.donorlens, times.direct),
    }),
  ];
}
