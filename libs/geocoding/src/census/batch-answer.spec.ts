import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { OFFICIAL_DATA, describeWith } from '../../../../test/support/tools';
import { type BatchAnswer, type GeocoderAnswer, type GeocoderRow } from '../geocoder';
import { readBatchAnswer } from './batch-answer';
import { fieldsOf } from './batch-answer';

const SENT: GeocoderRow[] = [
  { id: 0, street: '1 Elm St', city: 'Newtown', state: 'PA', zip: '18940' },
  { id: 1, street: '2 Oak Ave', city: 'Newtown', state: 'PA', zip: '18940' },
  { id: 2, street: '3 Ash Rd', city: 'Newtown', state: 'PA', zip: '' },
  { id: 3, street: '4 Fir Ct', city: 'Newtown', state: 'PA', zip: '18940' },
];
const ELM =
  '"0","1 Elm St, Newtown, PA, 18940","Match","Exact","1 ELM ST, NEWTOWN, PA, 18940","-74.93217,40.228761","1234567","R","42","017","104501","2003"';
const OAK = '"1","2 Oak Ave, Newtown, PA, 18940","No_Match"';
const ASH = '"2","3 Ash Rd, Newtown, PA, ","Tie"';
const FIR =
  '"3","4 Fir Ct, Newtown, PA, 18940","Match","Non_Exact","40 FIR CT, NEWTOWN, PA, 18940","-74.918273,40.236455","7654321","L"';
const LINES = [ELM, OAK, ASH, FIR];
const ELM_FOUND: GeocoderAnswer = {
  outcome: 'MATCH',
  isExact: true,
  matchedAddress: '1 ELM ST, NEWTOWN, PA, 18940',
  fips: '42017',
  tract: '104501',
  block: '2003',
};

const text = (...lines: string[]): string => lines.map((line) => `${line}\n`).join('');
const read = (body: string, isCut = false): BatchAnswer =>
  readBatchAnswer(body, SENT, isCut) ?? { answers: new Map(), unanswered: new Map() };
const all = read(text(...LINES)).answers;

/** Invariants of any answer: each id occurs once, and no row gets the answer of another. */
function expectNothingWrong(got: BatchAnswer | null): void {
  if (got === null) return;
  expect([...got.answers.keys(), ...got.unanswered.keys()].sort()).toEqual(SENT.map(({ id }) => id));
  for (const [id, answer] of got.answers) expect(answer).toEqual(all.get(id));
}

describe('one answer', () => {
  it('reads matches with and without geographies, no match and tie, in any order', () => {
    expect(read(text(ASH, FIR, ELM, OAK))).toEqual({
      answers: new Map<number, GeocoderAnswer>([
        [0, ELM_FOUND],
        [1, { outcome: 'NO_MATCH' }],
        [2, { outcome: 'TIE' }],
        [
          3,
          {
            outcome: 'MATCH',
            isExact: false,
            matchedAddress: '40 FIR CT, NEWTOWN, PA, 18940',
            fips: null,
            tract: null,
            block: null,
          },
        ],
      ]),
      unanswered: new Map(),
    });
  });

  it('reads lines that end with CRLF', () => {
    expect(read(LINES.map((line) => `${line}\r\n`).join('')).answers).toEqual(all);
  });

  it('keeps zeros at the beginning of codes', () => {
    const answer = read(text(ELM.replace('"42","017","104501","2003"', '"06","037","000900","0001"'))).answers.get(0);
    expect(answer).toMatchObject({ fips: '06037', tract: '000900', block: '0001' });
  });

  it('reports missing rows', () => {
    const { answers, unanswered } = read(text(OAK));
    expect([...answers.keys()]).toEqual([1]);
    expect(Object.fromEntries(unanswered)).toEqual({ 0: 'missing', 2: 'missing', 3: 'missing' });
  });

  it('uses neither of two rows with one id', () => {
    expect(read(text(ELM, OAK, ELM.replace('"2003"', '"2004"'))).unanswered.get(0)).toBe('duplicate');
    expect(read(text(ELM, ELM)).unanswered.get(0)).toBe('duplicate');
    expect(read(text(ELM, '"0","1 Elm"St"')).unanswered.get(0)).toBe('duplicate');
  });

  it('ignores ids that were not sent', () => {
    const { answers, unanswered } = read(text(ELM.replace('"0"', '"17"'), OAK, ASH, FIR));
    expect([...answers.keys()]).toEqual([1, 2, 3]);
    expect(Object.fromEntries(unanswered)).toEqual({ 0: 'missing' });
  });

  it.each([
    ['another word', OAK.replace('No_Match', 'Perhaps'), 'malformed'],
    ['another kind of match', ELM.replace('Exact', 'Nearly'), 'malformed'],
    ['a field too many', `${ELM},"x"`, 'malformed'],
    ['a match of four fields', OAK.replace('"No_Match"', '"Match","Exact"'), 'malformed'],
    ['a match of three fields', OAK.replace('No_Match', 'Match'), 'malformed'],
    ['no matched address', ELM.replace('"1 ELM ST, NEWTOWN, PA, 18940"', '""'), 'malformed'],
    ['an address with coordinates', ELM.replace('1 ELM ST,', '1 ELM ST -74.93,40.22,'), 'malformed'],
    ['coordinates in the place of the address', ELM.replace('"1 ELM ST, NEWTOWN, PA, 18940",', ''), 'malformed'],
    ['an open quote', ELM.slice(0, -1), 'malformed'],
    ['blank codes', ELM.replace('"42","017","104501","2003"', '"","","",""'), 'incomplete'],
    ['a county of two digits', ELM.replace('"017"', '"17"'), 'incomplete'],
    ['a tract with a point', ELM.replace('"104501"', '"1045.01"'), 'incomplete'],
    ['a block of five digits', ELM.replace('"2003"', '"20031"'), 'incomplete'],
  ])('gives no answer to a row with %s', (_, line, reason) => {
    const id = line.startsWith('"0"') ? 0 : 1;
    const { answers, unanswered } = read(text(line, ASH, FIR));
    expect([answers.has(id), unanswered.get(id)]).toEqual([false, reason]);
    expect([...answers.keys()]).toEqual([2, 3]);
  });

  it('reads the rows after one with an unclosed quote, also if the next one seems to close it', () => {
    const open = OAK.replace('No_Match"', 'No_Match');
    const { answers, unanswered } = read(text(open, open.replace('"1"', '"0"'), FIR, ASH));
    expect([...answers.keys()]).toEqual([2, 3]);
    expect(Object.fromEntries(unanswered)).toEqual({ 0: 'malformed', 1: 'malformed' });
  });

  it('rejects a row that echoes another address of the call', () => {
    const { answers, unanswered } = read(text(ELM.replace('"0"', '"1"'), OAK.replace('"1"', '"0"'), ASH, FIR));
    expect(Object.fromEntries(unanswered)).toEqual({ 0: 'misattributed', 1: 'misattributed' });
    expect([...answers.keys()]).toEqual([2, 3]);
  });

  it('accepts a number as the name of a road', () => {
    const road = ELM.replace('1 ELM ST,', '1 18.25 LN,');
    expect(read(text(road)).answers.get(0)).toMatchObject({ matchedAddress: '1 18.25 LN, NEWTOWN, PA, 18940' });
  });

  it('drops coordinates while parsing', () => {
    expect(fieldsOf(ELM)?.slice(4, 7)).toEqual(['1 ELM ST, NEWTOWN, PA, 18940', '', '1234567']);
    const field = fc.string().map((text) => text.replace(/["\n\r]/g, ','));
    fc.assert(
      fc.property(fc.array(field, { minLength: 1, maxLength: 14 }), (fields) => {
        const read = fieldsOf(`"${fields.join('","')}"`);
        expect(read).toEqual(fields.map((text, at) => (at === 5 ? '' : text)));
      }),
    );
    expect(fieldsOf(OAK)).toEqual(['1', '2 Oak Ave, Newtown, PA, 18940', 'No_Match']);
  });

  it('accepts an echo that differs from what was sent unless it belongs to another row', () => {
    expect(read(text(ELM.replace('1 Elm St, Newtown', '1 ELM STREET  NEWTOWN'))).answers.get(0)).toEqual(ELM_FOUND);
  });
});

describe('a broken answer', () => {
  it('returns complete rows, and reports the others as truncated', () => {
    const { answers, unanswered } = read(text(ELM, OAK) + ASH.slice(0, 20), true);
    expect([...answers.keys()]).toEqual([0, 1]);
    expect(Object.fromEntries(unanswered)).toEqual({ 2: 'truncated', 3: 'truncated' });
  });

  it('rejects a match that was truncated before its geographies', () => {
    const cut = ELM.slice(0, ELM.indexOf(',"42"'));
    expect(read(text(OAK) + cut).unanswered.get(0)).toBe('truncated');
    expect(read(text(OAK) + cut, true).unanswered.get(0)).toBe('truncated');
  });

  it('accepts a last row without a line end if it cannot be part of a longer row', () => {
    expect(read(text(OAK) + ELM).answers.get(0)).toEqual(ELM_FOUND);
    expect(read(text(ELM) + OAK).answers.get(1)).toEqual({ outcome: 'NO_MATCH' });
  });

  it.each([
    '',
    '\n\n',
    '<html><body>1, 2, 3</body></html>',
    '{"errors":["0,1,2"],"status":"400"}',
    '[\n  0,\n  1,\n  2\n]\n',
  ])('has no rows: %j', (body) => {
    expect(readBatchAnswer(body, SENT, false)).toBeNull();
  });
});

describe('rows under random damage', () => {
  const shuffled = fc.shuffledSubarray(LINES, { minLength: 0, maxLength: 4 });

  it('truncated and in any order give no row a wrong answer', () => {
    fc.assert(
      fc.property(shuffled, fc.double({ min: 0, max: 1, noNaN: true }), fc.boolean(), (lines, share, isCut) => {
        const body = text(...lines);
        expectNothingWrong(readBatchAnswer(body.slice(0, Math.round(share * body.length)), SENT, isCut));
      }),
    );
  });

  it('repeated, with other ids and mixed with noise give no row a wrong answer', () => {
    const moved = fc
      .tuple(fc.constantFrom(...LINES), fc.integer({ min: 0, max: 5 }))
      .map(([line, id]) => line.replace(/^"\d+"/, `"${id}"`));
    const noise = fc.string({ unit: 'binary-ascii' }).map((line) => `#${line}`);
    const lines = fc.array(fc.oneof({ arbitrary: moved, weight: 4 }, noise), { maxLength: 8 });
    fc.assert(fc.property(lines, (some) => expectNothingWrong(readBatchAnswer(text(...some), SENT, false))));
  });

  it('of random bytes are no answer', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), fc.boolean(), (bytes, isCut) => {
        expect(readBatchAnswer(Buffer.from(bytes).toString('latin1'), SENT, isCut)?.answers.size ?? 0).toBe(0);
      }),
    );
  });

  it('with lost and repeated fields contain no coordinate', () => {
    const degrees = fc.integer({ min: 10_000, max: 179_999_999 }).map((millionths) => (millionths / 1e6).toFixed(6));
    const fields = fc.tuple(degrees, degrees).chain(([lon, lat]) => {
      const row = ELM.replace('-74.93217,40.228761', `-${lon},${lat}`).split(/(?<="),/);
      const edits = fc.array(fc.tuple(fc.nat(11), fc.boolean()), { maxLength: 12 });
      return edits.map((some) => ({ lon, lat, line: edited(row, some).join(',') }));
    });
    fc.assert(
      fc.property(fields, ({ lon, lat, line }) => {
        const { answers, unanswered } = read(text(line, OAK));
        const shown = JSON.stringify([[...answers], [...unanswered]]);
        for (const digits of [lon, lat]) {
          expect(shown).not.toContain(digits);
          expect(shown).not.toContain(digits.split('.')[1]);
        }
      }),
    );
  });
});

function edited(fields: readonly string[], edits: readonly (readonly [number, boolean])[]): string[] {
  const copy = [...fields];
  for (const [at, isDoubled] of edits) copy.splice(at, isDoubled ? 0 : 1, ...(isDoubled ? [copy[at] ?? '""'] : []));
  return copy;
}

describeWith('official data')('the recorded answers', () => {
  const folder = join(OFFICIAL_DATA, 'census/geocoder');
  const recorded = (name: string): string => readFileSync(join(folder, name), 'latin1');
  const rowsOf = (name: string): GeocoderRow[] =>
    parse(recorded(name)).map(([id, street, city, state, zip]) => ({ id: Number(id), street, city, state, zip }));
  const hospitals = (): GeocoderRow[] => rowsOf('hospitals-batch-input.csv');
  const kind = (answer: GeocoderAnswer): string =>
    answer.outcome === 'MATCH' ? (answer.isExact ? 'Exact' : 'Non_Exact') : answer.outcome;

  it('of 2,000 hospitals are 1,022 exact and 368 other matches, 532 without one and 78 ties', () => {
    const got = readBatchAnswer(recorded('hospitals-locations-addressbatch.csv'), hospitals(), false);
    const counts: Record<string, number> = {};
    for (const answer of got?.answers.values() ?? []) counts[kind(answer)] = (counts[kind(answer)] ?? 0) + 1;
    expect(counts).toEqual({ Exact: 1022, Non_Exact: 368, NO_MATCH: 532, TIE: 78 });
    expect(got?.unanswered.size).toBe(0);
  });

  it('has the county, tract and block of the one that matched of three', () => {
    const sent = [1, 2, 3].map((id) => ({ id, street: `${id}`, city: '', state: '', zip: '' }));
    const got = readBatchAnswer(recorded('geographies-addressbatch.csv'), sent, false);
    expect(got?.answers.get(3)).toMatchObject({ isExact: true, fips: '36061', tract: '005000', block: '1002' });
    expect([1, 2].map((id) => got?.answers.get(id))).toEqual([{ outcome: 'NO_MATCH' }, { outcome: 'NO_MATCH' }]);
  });

  it('is never used for another address, for any truncation and exchange of ids', () => {
    const sent = hospitals();
    const lines = recorded('hospitals-locations-addressbatch.csv').trimEnd().split('\n');
    const whole = readBatchAnswer(lines.join('\n'), sent, false)?.answers;
    const index = fc.nat(lines.length - 1);
    fc.assert(
      fc.property(index, index, fc.integer({ min: 1, max: 200 }), (one, other, cut) => {
        const id = (line: string): string => line.slice(0, line.indexOf(','));
        const swapped = [...lines];
        swapped[one] = lines[one].replace(id(lines[one]), id(lines[other]));
        swapped[other] = lines[other].replace(id(lines[other]), id(lines[one]));
        const got = readBatchAnswer(swapped.join('\n').slice(0, -cut), sent, false);
        for (const [key, answer] of got?.answers ?? [])
          if (answer !== whole?.get(key)) expect(answer).toEqual(whole?.get(key));
        expect(got?.answers.size).toBeLessThanOrEqual(one === other ? 2000 : 1998);
      }),
      { numRuns: 5 },
    );
  });
});
