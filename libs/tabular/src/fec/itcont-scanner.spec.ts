import fc from 'fast-check';
import { FIELD_SEPARATOR } from './import-record-reader';
import { ItcontScanner, type ItcontCounts } from './itcont-scanner';
import { type RejectCode } from './itcont-line';

const OURS = 'C99900001';
const OTHERS = 'C99900002';

const cells: readonly string[] = (
  `${OURS}|N|Q1|P2020|202004159000000001|15|IND|DOE, JANE|SPRINGFIELD|IL|627010000|SELF|WRITER|` +
  '03012020|250||SA17A.1|1400001|||4041520200000000001'
).split('|');

/** A line of the file with some cells changed. */
function lineOf(changed: Readonly<Record<number, string>> = {}): string {
  return cells.map((cell, index) => changed[index] ?? cell).join('|');
}

interface Scanned {
  readonly counts: ItcontCounts;
  readonly records: readonly string[];
  readonly cycles: readonly number[];
  readonly rejects: readonly (readonly [line: number, code: RejectCode, text: string])[];
  readonly offset: number;
}

function scan(pieces: readonly Buffer[], start: { offset?: number; linesRead?: number } = {}): Scanned {
  const records: string[] = [];
  const cycles: number[] = [];
  const rejects: [number, RejectCode, string][] = [];
  const scanner = new ItcontScanner(
    { committees: new Set([OURS]), fileCycle: 2020, ...start },
    {
      kept: (bytes, length, cycle) => {
        records.push(bytes.toString('utf8', 0, length));
        cycles.push(cycle);
      },
      rejected: (line, code, text) => rejects.push([line, code, text]),
    },
  );
  for (const piece of pieces) scanner.push(piece);
  scanner.finish();
  return { counts: scanner.counts, records, cycles, rejects, offset: scanner.offset };
}

const scanText = (text: string): Scanned => scan([Buffer.from(text, 'latin1')]);
const codeOf = (line: string): RejectCode | undefined => scanText(`${line}\n`).rejects[0]?.[1];

describe('the scanner of contribution files', () => {
  it('keeps the rows of the given committees as import records and counts the others', () => {
    const text = `${lineOf()}\n${lineOf({ 0: OTHERS })}\n${lineOf({ 20: '7' })}\n`;
    const { counts, records, offset } = scanText(text);
    expect(records).toEqual([
      `${cells.join(FIELD_SEPARATOR)}\n`,
      `${[...cells.slice(0, 20), '7'].join(FIELD_SEPARATOR)}\n`,
    ]);
    expect(counts).toEqual({ linesRead: 3, kept: 2, otherCommittees: 1, conduitRows: 0, rejected: 0 });
    expect(offset).toBe(text.length);
  });

  it('accepts CRLF and a last line without a line end', () => {
    expect(scanText(`${lineOf()}\r\n${lineOf()}\r\n`).records).toEqual(scanText(`${lineOf()}\n${lineOf()}`).records);
    expect(scanText('').counts.linesRead).toBe(0);
  });

  it('does not change quotes, blanks and formulas', () => {
    const name = ` "DOE, JANE "" =1+1 `;
    expect(scanText(lineOf({ 7: name })).records[0].split(FIELD_SEPARATOR)[7]).toBe(name);
  });

  it('reads a line as UTF-8 if valid, else as windows-1252', () => {
    const latin = scan([Buffer.from(`${lineOf({ 7: 'MUÑOZ, JOSÉ \x93X\x94' })}\n`, 'latin1')]);
    const utf8 = scan([Buffer.from(`${lineOf({ 7: 'MUÑOZ, JOSÉ “X”' })}\n`, 'utf8')]);
    expect(latin.records).toEqual(utf8.records);
    expect(latin.records[0]).toContain('MUÑOZ, JOSÉ “X”');
  });

  it('returns the cycle of the date, or of the file without a valid date', () => {
    const dates = ['03012020', '12312018', '', '02302018', '01012031'];
    expect(scanText(dates.map((date) => lineOf({ 13: date })).join('\n')).cycles).toEqual([
      2020, 2018, 2020, 2020, 2020,
    ]);
  });

  it.each<[RejectCode, string]>([
    ['wrong_column_count', lineOf().replace('|SELF|', '|SELF|X|')],
    ['wrong_column_count', cells.slice(0, 20).join('|')],
    ['wrong_column_count', OURS],
    ['control_character', lineOf({ 7: 'DOE,\tJANE' })],
    ['control_character', lineOf({ 7: 'DOE\0' })],
    ['control_character', lineOf({ 7: 'DOE\rJANE' })],
    ['control_character', lineOf({ 7: `DOE${FIELD_SEPARATOR}` })],
    ['too_long', lineOf({ 19: 'X'.repeat(5000) })],
    ['bad_sub_id', lineOf({ 20: '' })],
    ['bad_sub_id', lineOf({ 20: '0' })],
    ['bad_sub_id', lineOf({ 20: '-7' })],
    ['bad_sub_id', lineOf({ 20: '9223372036854775808' })],
    ['bad_sub_id', lineOf({ 20: '12345678901234567890' })],
    ['bad_amount', lineOf({ 14: '' })],
    ['bad_amount', lineOf({ 14: '1e3' })],
    ['bad_amount', lineOf({ 14: '1,000' })],
    ['bad_committee_id', lineOf({ 0: 'X99900001' })],
    ['bad_committee_id', lineOf({ 0: 'C9990000' })],
    ['bad_committee_id', lineOf({ 0: 'C999000011' })],
    ['bad_committee_id', ''],
    ['bad_committee_id', 'NOT A LINE OF THE FILE'],
  ])('rejects as %s: example %#', (code, line) => {
    expect(codeOf(line)).toBe(code);
  });

  it('accepts the largest 64-bit number as SUB_ID, and 4,096 bytes as a line', () => {
    expect(codeOf(lineOf({ 20: '9223372036854775807' }))).toBeUndefined();
    const room = 4096 - lineOf().length;
    expect(codeOf(lineOf({ 19: 'X'.repeat(room) }))).toBeUndefined();
    expect(codeOf(`${lineOf({ 19: 'X'.repeat(room) })}\r`)).toBeUndefined();
    expect(codeOf(lineOf({ 19: 'X'.repeat(room + 1) }))).toBe('too_long');
  });

  it('returns number and text of a rejected line, with NUL visible', () => {
    const { rejects, counts } = scanText(
      `${lineOf()}\n${lineOf({ 7: 'DOE\0' })}\nJUNK\n${lineOf({ 19: 'X'.repeat(9000) })}`,
    );
    expect(rejects.slice(0, 2)).toEqual([
      [2, 'control_character', lineOf({ 7: 'DOE␀' })],
      [3, 'bad_committee_id', 'JUNK'],
    ]);
    expect(rejects[2][2]).toHaveLength(4096);
    expect(counts).toEqual({ linesRead: 4, kept: 1, otherCommittees: 0, conduitRows: 0, rejected: 3 });
  });

  it('reads only the id in rows of other committees', () => {
    expect(scanText(`${OTHERS}|JUNK\0\n${OTHERS}\n`).counts).toMatchObject({ otherCommittees: 2, rejected: 0 });
  });

  it.each<[row: string, cells: Readonly<Record<number, string>>, isKept: boolean]>([
    ['24T for one of them', { 5: '24T', 15: OURS }, true],
    ['24I for one of them, also as a memo item', { 5: '24I', 15: OURS, 18: 'X' }, true],
    ['15E as a memo item', { 5: '15E', 15: OURS, 18: 'X' }, true],
    ['15E that is none: a gift of another committee', { 5: '15E', 15: OURS }, false],
    [
      '24T that its memo text names, without OTHER_ID',
      { 5: '24T', 19: `EARMARKED FOR A (${OTHERS}) OR B (${OURS})` },
      true,
    ],
    ['24T whose memo text names none', { 5: '24T', 19: 'EARMARKED FOR A ()' }, false],
    ['24T for another committee, whatever its memo text says', { 5: '24T', 15: 'C99900003', 19: OURS }, false],
    ['24T for another committee', { 5: '24T', 15: 'C99900003' }, false],
    ['15', { 5: '15', 15: OURS }, false],
    ['24TX', { 5: '24TX', 15: OURS }, false],
  ])('keeps a row of a conduit with its recipient as cell 22, or omits it: %s', (_, changed, isKept) => {
    const line = lineOf({ 0: OTHERS, ...changed });
    const { counts, records } = scanText(line);
    expect(records).toEqual(isKept ? [`${[...line.split('|'), OURS].join(FIELD_SEPARATOR)}\n`] : []);
    expect(counts).toMatchObject({
      kept: records.length,
      conduitRows: records.length,
      otherCommittees: isKept ? 0 : 1,
    });
  });

  it('assigns a gift that one committee forwards to another to the recipient', () => {
    const committees = new Set([OURS, OTHERS]);
    const records: string[] = [];
    const kept = (bytes: Buffer, length: number) => records.push(bytes.toString('utf8', 0, length));
    const scanner = new ItcontScanner({ committees, fileCycle: 2020 }, { kept, rejected: () => {} });
    const lines = [
      lineOf({ 0: OTHERS, 5: '24T', 15: OURS }),
      lineOf({ 5: '24T', 15: OURS }),
      lineOf({ 5: '24T', 15: 'C99900003' }),
    ];
    scanner.push(Buffer.from(lines.join('\n')));
    scanner.finish();
    expect(records.map((record) => record.split(FIELD_SEPARATOR)[21])).toEqual([`${OURS}\n`, undefined, undefined]);
  });

  it('accepts short lines of other committees', () => {
    expect(
      scanText([`${OTHERS}|||||24T`, `${OTHERS}|||||24T|`, `${OTHERS}|||||15E|IND`].join('\n')).counts,
    ).toMatchObject({
      otherCommittees: 3,
      conduitRows: 0,
    });
  });

  const line = fc.oneof(
    fc.constant(lineOf()),
    fc.constant(lineOf({ 7: 'MUÑOZ, JOSÉ' })),
    fc.constant(lineOf({ 0: OTHERS })),
    fc.constant(lineOf({ 19: 'X'.repeat(4200) })),
    fc.string({ maxLength: 30 }).map((text) => lineOf({ 7: text.replaceAll('\n', ' ') })),
    fc.string({ maxLength: 30 }).map((text) => text.replaceAll('\n', ' ')),
  );
  const text = fc
    .tuple(fc.array(line, { maxLength: 12 }), fc.constantFrom('\n', '\r\n'), fc.boolean())
    .map(([lines, end, ended]) => Buffer.from(lines.join(end) + (ended ? end : ''), 'latin1'));

  it('has the same result for any pieces', () => {
    const cuts = fc.array(fc.nat(9000), { maxLength: 20 });
    fc.assert(
      fc.property(text, cuts, (bytes, places) => {
        const sorted = [0, ...places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
        const pieces = sorted.slice(1).map((place, index) => bytes.subarray(sorted[index], place));
        expect(scan(pieces)).toEqual(scan([bytes]));
      }),
    );
  });

  it('resumes after complete lines: both parts together are the whole', () => {
    fc.assert(
      fc.property(text, fc.nat(), (bytes, place) => {
        const first = new ItcontScanner(
          { committees: new Set([OURS]), fileCycle: 2020 },
          { kept: () => {}, rejected: () => {} },
        );
        first.push(bytes.subarray(0, place % (bytes.length + 1)));
        const { offset } = first;
        const {
          counts,
          rejects,
          offset: end,
        } = scan([bytes.subarray(offset)], { offset, linesRead: first.counts.linesRead });
        const whole = scan([bytes]);
        expect(end).toBe(whole.offset);
        expect(counts.kept + first.counts.kept).toBe(whole.counts.kept);
        expect(counts.linesRead).toBe(whole.counts.linesRead);
        expect(rejects).toEqual(whole.rejects.slice(first.counts.rejected));
      }),
    );
  });
});
