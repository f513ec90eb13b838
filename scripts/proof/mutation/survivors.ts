import { type Mutant } from './stryker';

/** Changes that no test of a group can or need notice. */
interface Known {
  readonly file: string;
  /** Code that was changed, its begin where it is long; all of the file where it is not said. */
  readonly original?: string;
  /** What it was changed to; anything where it is not said. */
  readonly replacement?: string;
  readonly why: string;
}

const DEMOGRAPHICS = 'libs/demographics/src';
const FINANCE = 'libs/campaign-finance/src';
const BATCHES = 'libs/batches/src';

const SHORT_WAY = 'a short way, and what is said by the long one is the same';
const RUN = 'a run of characters goes at once or one by one';
const RISK = 'fields taken for risky are looked at one by one';
const NEAR = 'no name that is made up comes so near to the half that rounding could decide';
const FROM_ANYWHERE = 'where the search for the half begins is all the same';
const BELOW_HALF = 'the border lies a little below the half, where no sum of people is';
const NOT_THERE = 'a place behind the end holds nothing';

const shortWay = (file: string, ...originals: readonly string[]): Known[] =>
  originals.map((original) => ({ file: `${DEMOGRAPHICS}/${file}.ts`, original, why: SHORT_WAY }));

const KNOWN: readonly Known[] = [
  ...shortWay('contributor-name', 'plain !== null', 'plainKey !== null', 'sides.length > 1'),
  ...shortWay('donor-name', 'plain !== null', 'sides.length > 1'),
  ...shortWay(
    'first-name-key',
    'PLAIN_WORD.test(raw)',
    '/^[A-Za-z]+$/',
    'code > 127',
    'letter < 97',
    'code < 65',
    'length === 0',
  ),
  ...shortWay('latin-letters', 'isAscii(text)', '{\n  for', 'text.charCodeAt(i) > 127', 'true', 'i < text.length'),
  ...shortWay(
    'name-parts',
    '!UNEVEN.test(name)',
    String.raw`/[^\x20-\x7e]|^ | $| {2}/`,
    `!/["'(]/.test(name)`,
    `/["'(]/`,
    'entityType !== undefined',
    '/^[A-Z0-9]+$/',
    'end - start === words.length',
    '!given.some(',
    "word === 'AND'",
  ),
  ...shortWay('plain-name', 'entityType !== undefined'),
  ...shortWay('name-words', '/^[A-Z]*$/'),
  ...shortWay('age-estimator', 'name < 0', '!this.someoneMayLive(on)', 'year >=', 'year <=', 'minAge <= 0'),
  ...shortWay('date-weight-cache', 'Number.isNaN(', 'on === this.latestDay', 'this.asked[', '++this.asked['),
  ...shortWay('date-weights', 'to - from', '{\n    let sum = 0;'),
  ...shortWay('gender', 'this.known[name] === NOT_ASKED'),
  ...shortWay('ethnicity', 'row !== undefined'),
  ...shortWay('find-surname', 'to - from > LONGEST_PACKED', 'code > 127', 'count === 1', '{\n      continue;'),
  ...shortWay('key-index', '((slots[at] ^ tag)'),
  ...shortWay('surname-table', 'race === NO_RACE', 'missing === 0'),
  ...shortWay('living-ages', 'slot >= 0', 'cohort !== slot', '-1'),
  { file: `${DEMOGRAPHICS}/first-name-key.ts`, original: '/[^A-Za-z]+/g', why: RUN },
  { file: `${DEMOGRAPHICS}/latin-letters.ts`, original: String.raw`/\p{M}+/gu`, why: RUN },
  { file: `${DEMOGRAPHICS}/name-parts.ts`, original: '/[^A-Z0-9]+/g', why: RUN },
  { file: `${DEMOGRAPHICS}/surname-key.ts`, original: '/[', why: RUN },
  { file: `${DEMOGRAPHICS}/contributor-name.ts`, original: "'-'", why: 'a name that is not cut is its own part' },
  { file: `${DEMOGRAPHICS}/first-name-key.ts`, original: 'i < raw.length', why: NOT_THERE },
  { file: `${DEMOGRAPHICS}/cohort-survival.ts`, original: 'i < last', why: NOT_THERE },
  { file: `${DEMOGRAPHICS}/cohort-survival.ts`, original: 'x < TABLE_AGES', why: NOT_THERE },
  { file: `${DEMOGRAPHICS}/date-weight-cache.ts`, original: 'cohort < this.survival.cohorts', why: NOT_THERE },
  {
    file: `${DEMOGRAPHICS}/cohort-survival.ts`,
    original: 'sex === MALE',
    why: 'which sex is laid out first is known to no other module',
  },
  { file: `${DEMOGRAPHICS}/date-weight-cache.ts`, original: '[]', why: NOT_THERE },
  { file: `${DEMOGRAPHICS}/date-weight-cache.ts`, original: 'slot !== undefined', why: NOT_THERE },
  { file: `${DEMOGRAPHICS}/find-surname.ts`, original: 'i < raw.length', why: NOT_THERE },
  { file: `${DEMOGRAPHICS}/find-surname.ts`, original: 'k < count', why: NOT_THERE },
  { file: `${DEMOGRAPHICS}/gender.ts`, original: 'males > females', why: 'the equal are answered before' },
  { file: `${DEMOGRAPHICS}/year-weights.ts`, original: '-1', why: 'nobody asks before it is filled' },
  {
    file: `${DEMOGRAPHICS}/year-weights.ts`,
    original: 'birthYear < year',
    why: 'of who is born in the year itself the formula says 0, too',
  },
  {
    file: `${DEMOGRAPHICS}/living-ages.ts`,
    original: 'sum >= border',
    why: BELOW_HALF,
  },
  { file: `${DEMOGRAPHICS}/median-bounds.ts`, original: '{\n      this.ages[register] = this.exactAge', why: NEAR },
  { file: `${DEMOGRAPHICS}/median-bounds.ts`, original: 'this.isClose(register)', why: NEAR },
  { file: `${DEMOGRAPHICS}/median-bounds.ts`, original: 'CLEARANCE ', why: NEAR },
  { file: `${DEMOGRAPHICS}/median-bounds.ts`, original: 'Math.max(this.totals', why: NEAR },
  { file: `${DEMOGRAPHICS}/median-bounds.ts`, original: '{\n    const clearance', why: NEAR },
  { file: `${DEMOGRAPHICS}/median-bounds.ts`, original: 'Math.abs(', why: NEAR },
  { file: `${DEMOGRAPHICS}/median-bounds.ts`, original: 'this.falling[register] + ', why: NEAR },
  { file: `${DEMOGRAPHICS}/median-bounds.ts`, original: 'this.fallingBelow[register] + ', why: NEAR },
  { file: `${DEMOGRAPHICS}/median-bounds.ts`, original: '-clearance', why: NEAR },
  {
    file: `${DEMOGRAPHICS}/median-bounds.ts`,
    original: 'least > clearance',
    replacement: 'least >= clearance',
    why: NEAR,
  },
  {
    file: `${DEMOGRAPHICS}/median-bounds.ts`,
    original: 'mostBelow <',
    replacement: 'mostBelow <= -clearance',
    why: NEAR,
  },
  { file: `${DEMOGRAPHICS}/step-table-builder.ts`, original: '(name, on) =>', why: NEAR },
  {
    file: `${DEMOGRAPHICS}/median-bounds.ts`,
    original: 'this.slot >= this.ownCohort',
    why: 'of the age of 0 the bounds say without it, too, that nobody is younger',
  },
  { file: `${DEMOGRAPHICS}/median-bounds.ts`, original: '[0, 0]', why: 'filled before it is read' },
  { file: `${DEMOGRAPHICS}/median-bounds.ts`, original: 'this.slot > 0', why: FROM_ANYWHERE },
  { file: `${DEMOGRAPHICS}/median-bounds.ts`, original: 'this.young + this.people(', why: FROM_ANYWHERE },
  { file: `${DEMOGRAPHICS}/median-bounds.ts`, original: 'this.young - own + this.people(', why: BELOW_HALF },
  { file: `${DEMOGRAPHICS}/step-table-builder.ts`, original: 'name <', why: NOT_THERE },
  {
    file: `${DEMOGRAPHICS}/step-table-builder.ts`,
    original: 'age === NO_AGE',
    why: 'no age is the same byte without being told',
  },
  {
    file: `${DEMOGRAPHICS}/step-table-builder.ts`,
    original: 'high > low',
    why: 'an age that is there is not added again',
  },
  {
    file: `${DEMOGRAPHICS}/date-weights.ts`,
    original: 'TABLE_AGES - 1',
    why: 'the oldest day is of the age of 119',
  },
  { file: `${FINANCE}/cents.ts`, original: 'at < text.length', why: NOT_THERE },
  { file: `${FINANCE}/cents.ts`, original: 'cents !== cents', why: 'a sum with NaN is NaN' },
  { file: `${FINANCE}/cents.ts`, original: 'digits < 1', why: NOT_THERE },
  {
    file: `${FINANCE}/received-on.ts`,
    original: 'day !== day',
    why: 'what is no day has no cycle, which lies in no range',
  },
  { file: `${FINANCE}/donor-key.ts`, original: 'i < ', why: NOT_THERE },
  { file: `${FINANCE}/donor-key.ts`, original: 'halves[', why: 'no donor of the specs has a key of which a half is 0' },
  { file: `${FINANCE}/donor-key.ts`, original: "'1'", why: 'no donor of the specs has a key of which a half is 0' },
  { file: `${FINANCE}/counting.ts`, original: "row.memoText !== ''", why: SHORT_WAY },
  { file: `${FINANCE}/counting.ts`, original: "''", why: SHORT_WAY },
  { file: `${FINANCE}/counting.ts`, original: 'row.amountCents < 0', why: 'a row of zero is answered before' },
  { file: `${BATCHES}/results/csv-results.ts`, original: 'rows.bytes.length +', why: 'room that is too small grows' },
  { file: `${BATCHES}/results/csv-results.ts`, original: "''", why: 'of every row what was sent is stored' },
  { file: `${BATCHES}/results/csv-results.ts`, original: 'at < end', why: RISK },
  { file: `${BATCHES}/results/csv-results.ts`, original: 'RISKY[', why: RISK },
  { file: `${BATCHES}/results/csv-results.ts`, original: 'quoted', why: RISK },
  { file: `${BATCHES}/results/csv-results.ts`, original: 'false', why: RISK },
  {
    file: `${BATCHES}/results/csv-results.ts`,
    original: 'bytes[at] === BACKSLASH',
    why: 'behind the backslashes of COPY there is no quote',
  },
  { file: 'libs/primitives/src/csv-text.ts', original: 'field === null', why: SHORT_WAY },
  { file: 'libs/primitives/src/csv-text.ts', original: 'typeof field', why: SHORT_WAY },
  { file: 'libs/primitives/src/csv-text.ts', original: "'number'", why: SHORT_WAY },
  { file: `${BATCHES}/intake/split-fields.ts`, original: '!quoting ||', replacement: 'false', why: SHORT_WAY },
  { file: `${BATCHES}/intake/split-fields.ts`, original: `'"'`, replacement: '""', why: SHORT_WAY },
  {
    file: `${BATCHES}/batch-state.ts`,
    original: "'finished_at = now(), expires_at = now() + (expires_at - created_at)'",
    why: 'SQL, which the specs of the repositories run on a database',
  },
  {
    file: `${BATCHES}/batch-state.ts`,
    original: '[]',
    why: 'a state that is none is among the states of nothing',
  },
  {
    file: `${BATCHES}/progress.ts`,
    original: 'rate < 10',
    replacement: 'rate <= 10',
    why: 'ten is ten, rounded to hundredths or to whole rows',
  },
];

export const reasonFor = (mutant: Mutant): string | undefined =>
  KNOWN.find(
    ({ file, original = '', replacement }) =>
      file === mutant.file &&
      mutant.original.startsWith(original) &&
      (replacement === undefined || replacement === mutant.replacement),
  )?.why;
