import { type TrialService, forEachConcurrently, type Outcome } from './trial';
import { csvRows } from './csv-python';

/** Texts that are known to break software, by class. */
const HOSTILE_STRINGS: readonly string[] = [
  ...[
    'undefined',
    'null',
    'NULL',
    'nil',
    'None',
    'NaN',
    'Infinity',
    'true',
    'FALSE',
    '0',
    '-0',
    '1e309',
    '0x1F',
    '1/0',
    '１２３',
    '٤٢',
    '1,5',
    '00012',
  ],
  ...[
    'O’Brien',
    "D'Angelo",
    'St. John-Smythe',
    'Müller',
    'Łukasz',
    'Þór',
    'Nguyễn',
    'Ñandú',
    'İpek',
    'ıŞIK',
    'ẞtraße',
    'ΣΊΣΥΦΟΣ',
    'ǅ',
    'ﬁona',
  ],
  ...['田中さん', '정희', 'محمد', 'שָׁלוֹם', 'हिन्दी', 'ภาษาไทย', 'ქართული', 'Ⅷ', '①', '½', '℀', '表', 'ヽ༼ຈل͜ຈ༽ﾉ'],
  ...['😀', '👩‍👩‍👧‍👦', '🏳️‍🌈', '🇺🇸', '👋🏿', '❤️', '\u{1f9d1}\u{1f3fb}', '\u{10ffff}', '\u{e0041}'],
  ...['a\u0300\u0301\u0302\u0303', 'Z͑ͫ̓ͪ̂ͫ̽a̴l̶g̷o', 'e\u0301', '\u00e9', '\u212b', '\u1e9b\u0323'],
  ...[
    '\u202eabc',
    '\u2066abc\u2069',
    '\u200b',
    'a\u200bb',
    'a\u00adb',
    '\ufeff',
    'a\ufeffb',
    '\u2028',
    '\u2029',
    '\u0085',
    '\u00a0',
    '\u3000',
    '\u180e',
  ],
  ...['\ufffd', '\ufffe', '\uffff', '\u0001', '\u001b[31m', '\u0007', '\u007f', '\u0080', '\b', '\v', '\f', 'a\tb'],
  ...[
    "' OR 1=1 --",
    "'; DROP TABLE batch; --",
    '\\',
    '\\\\',
    '\\N',
    '\\.',
    '\\t',
    '$$',
    '$1',
    '%s%n',
    '{0}',
    '${x}',
    '{{x}}',
    '<%= x %>',
    '`id`',
    '$(id)',
    '| id',
    '; id',
  ],
  ...[
    '<b>x</b>',
    '<script>x</script>',
    '"><i>',
    "'onmouseover='x",
    '&lt;',
    '&#0;',
    ']]>',
    '<!--',
    '-->',
    '<?x?>',
    'javascript:x',
    '%3Cb%3E',
  ],
  ...[
    '../../x',
    '..\\x',
    '/dev/null',
    'C:\\x',
    'CON',
    'file:///x',
    '\\\\host\\x',
    '%00',
    '%2e%2e',
    'a%0d%0ab',
    'a\r\nb',
    'a\nb',
    'a\rb',
    '\n',
    '"',
    '""',
    ',',
    'a,b',
    'a"b',
    'a;b',
    'a|b',
  ],
  ...[
    '=1+1',
    '+1',
    '-1',
    '@x',
    '=cmd|x',
    "'=1",
    ' =1',
    '"=1"',
    '\t=1',
    '\r=1',
    '-x',
    '+x',
    '--',
    '=',
    '#REF!',
    '=HYPERLINK("x")',
  ],
  ...[
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    'length',
    'then',
    'id',
    'ROW',
    'OTHER',
    '[object Object]',
  ],
  ...[' lead', 'trail ', '  ', '', 'x'.repeat(190), 'é'.repeat(190), '\u{1f600}'.repeat(95)],
];

/** Puts an apostrophe before the start of a formula, unless the text is a number. */
export const guarded = (text: string): string =>
  /^[ \t\r\n]*[=+\-@\t\r]/.test(text) && !/^\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*$/.test(text)
    ? `'${text}`
    : text;

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
const line = (fields: readonly string[]): string => fields.map(quoted).join(',');

type Rows = readonly (readonly string[])[];

const MAX_FAULT = 300;

/** Compares returned values with sent ones. */
export class Comparison {
  looked = 0;
  readonly faults: string[] = [];

  rows(what: string, sent: Rows, got: Rows): void {
    if (sent.length !== got.length) this.faults.push(`${what}: ${sent.length} rows sent, ${got.length} returned`);
    else
      for (const [at, row] of sent.entries()) row.forEach((value, column) => this.value(what, value, got[at][column]));
  }

  /** @param got - undefined: no value was returned */
  value(what: string, sent: string, got: string | undefined): void {
    this.looked++;
    if (sent === got) return;
    this.faults.push(`${what}: ${JSON.stringify(sent)} was returned as ${JSON.stringify(got)}`.slice(0, MAX_FAULT));
  }
}

/** Each text as first name, surname, street and a column of the caller. */
const ROWS = HOSTILE_STRINGS.map((text, at) => [
  text,
  text,
  text,
  HOSTILE_STRINGS[(at + 1) % HOSTILE_STRINGS.length],
  `row-${at}`,
  '2016-10-01',
]);
const FIELDS = ['first_name', 'last_name', 'street', 'note', 'id', 'date'];
const objects = (): Record<string, string>[] =>
  ROWS.map((row) => Object.fromEntries(row.map((value, at) => [FIELDS[at], value])));

const SENT: readonly (readonly [type: string, query: string, body: () => string])[] = [
  ['text/csv', 'type=contributions', () => [line(FIELDS), ...ROWS.map(line)].join('\n')],
  [
    'application/x-ndjson',
    'type=contributions',
    () =>
      objects()
        .map((one) => JSON.stringify(one))
        .join('\n'),
  ],
  ['application/json', '', () => JSON.stringify({ type: 'contributions', queries: objects() })],
];

const linesOf = (body: Buffer): readonly { readonly id: string }[] =>
  body
    .toString()
    .trimEnd()
    .split('\n')
    .map((one) => JSON.parse(one) as { id: string });

async function throughBatches(bench: TrialService, comparison: Comparison): Promise<readonly string[]> {
  const ids = ROWS.map((row) => [row[4]]);
  const { faults } = await forEachConcurrently(SENT, 1, async ([type, query, body]) => {
    const { id, answer } = await bench.batch(body(), type, query);
    if (id === null) return [`${type}: ${answer.status} ${answer.body.toString().slice(0, 300)}`];
    const [raw, plain, lines, list] = await Promise.all(
      ['format=csv&raw=true', 'format=csv', 'format=ndjson', 'format=json'].map((one) => bench.results(id, one)),
    );
    const { results } = JSON.parse(list.toString()) as { results: { id: string }[] };
    const idsOf = (rows: readonly { readonly id: string }[]): Rows => rows.map((one) => [one.id]);
    const guardedRows = ROWS.map((row) => row.map(guarded));
    comparison.rows(`${type}, out as raw CSV`, ROWS, csvRows(raw).slice(1));
    comparison.rows(`${type}, out as CSV`, guardedRows, csvRows(plain).slice(1));
    comparison.rows(`${type}, out as NDJSON`, ids, idsOf(linesOf(lines)));
    comparison.rows(`${type}, out as JSON`, ids, idsOf(results));
    return [];
  });
  return faults;
}

/** The response repeats the surname exactly, in single and in bulk lookups. */
async function throughLookups(bench: TrialService, comparison: Comparison): Promise<readonly string[]> {
  const many = { queries: HOSTILE_STRINGS.map((surname) => ({ surname, year: 2016 })) };
  const { body } = await bench.post('/enrich/v1/ethnicity', JSON.stringify(many), 'application/json');
  const { results } = JSON.parse(body.toString()) as { results: { surname: string }[] };
  const echoed = results.map((one) => [one.surname]);
  comparison.rows(
    'surnames in bulk',
    HOSTILE_STRINGS.map((one) => [one]),
    echoed,
  );
  const asked = HOSTILE_STRINGS.filter((text) => text !== '');
  const { faults } = await forEachConcurrently(asked, 8, async (surname) => {
    const escaped = encodeURIComponent(surname);
    const answer = await bench.get(`/enrich/v1/ethnicity/surname/${escaped}/year/2016`);
    const page = await bench.get(`/enrich/v1/age_gender/name/${escaped}/date/2017-07-01`);
    const echo =
      answer.status === 200 ? (JSON.parse(answer.body.toString()) as { surname: string }).surname : undefined;
    comparison.value(`surname, ${answer.status}`, surname, echo);
    return page.status === 200 ? [] : [`name ${JSON.stringify(surname)}: ${page.status}`];
  });
  return faults;
}

/** Every text in a name or column is returned as it was sent. */
export async function hostileStrings(bench: TrialService): Promise<Outcome> {
  const comparison = new Comparison();
  const faults = [...(await throughLookups(bench, comparison)), ...(await throughBatches(bench, comparison))];
  return {
    what: 'hostile texts as names, surnames, streets and columns',
    looked: comparison.looked,
    faults: [...faults, ...comparison.faults],
  };
}
