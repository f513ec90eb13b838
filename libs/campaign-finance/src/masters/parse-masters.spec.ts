import fc from 'fast-check';
import { type Linkage } from './master-columns';
import { MasterFileError } from './read-master';
import { parseCandidates, parseCommittees, parseLinkages } from './parse-masters';

const text = (...lines: string[]): Buffer => Buffer.from(lines.join('\n') + '\n', 'latin1');
const candidate = (id: string, name: string, office = id[0]): string =>
  `${id}|${name}|IND|2016|US|${office}|00|C|N|C00000001|1 MAIN ST||SPRINGFIELD|IL|62701`;
const committee = (id: string, type: string, name = 'MADE UP'): string =>
  `${id}|${name}|DOE, PAT|1 MAIN ST||SPRINGFIELD|IL|62701|P|${type}|IND|Q||NONE|P00000001`;
const linkage = (candidateId: string, committeeId: string, election: string, number: string, cycle = '2016'): string =>
  `${candidateId}|${election}|${cycle}|${committeeId}|P|P|${number}`;
/** Repeats a line so often that one invalid line is a small share of the file. */
const many = (line: string): string[] => Array.from({ length: 200 }, () => line);

describe('the parser of candidate masters', () => {
  it('keeps presidential candidates and removes trailing blanks from their cells', () => {
    const { rows, report } = parseCandidates(
      'cn16.zip',
      text(candidate('P60000001', 'DOE, PAT / RAY ROE   '), candidate('H6IL01001', 'ROE, RAY')),
    );
    expect(rows).toMatchObject([{ CAND_ID: 'P60000001', CAND_NAME: 'DOE, PAT / RAY ROE', CAND_ZIP: '62701' }]);
    expect(report).toEqual({ lines: 2, kept: 1, duplicates: 0, rejected: {} });
  });

  it('reads a quotation mark as an ordinary character', () => {
    const { rows } = parseCandidates(
      'cn16.zip',
      text(candidate('P60000001', 'DOE, "PAT'), candidate('P60000002', 'X"')),
    );
    expect(rows.map(({ CAND_NAME }) => CAND_NAME)).toEqual(['DOE, "PAT', 'X"']);
  });

  it('reads each line as UTF-8 or else as windows-1252, also with CR LF and without a final line break', () => {
    const bytes = Buffer.concat([
      Buffer.from(candidate('P60000001', 'MUÑOZ, ZOË') + '\r\n', 'latin1'),
      Buffer.from(candidate('P60000002', 'MUÑOZ, ZOË'), 'utf8'),
    ]);
    expect(parseCandidates('cn16.zip', bytes).rows.map(({ CAND_NAME }) => CAND_NAME)).toEqual([
      'MUÑOZ, ZOË',
      'MUÑOZ, ZOË',
    ]);
  });

  it('skips invalid lines and counts them by error', () => {
    const { rows, report } = parseCandidates(
      'cn16.zip',
      text(
        ...many(candidate('S6IL00001', 'ROE, RAY')),
        candidate('P60000001', 'DOE, PAT'),
        candidate('P60000002', 'DOE | PAT'),
        candidate('P6IL00001', 'DOE, PAT'), // not the id of a presidential candidate
      ),
    );
    expect(rows).toHaveLength(1);
    expect(report.rejected).toEqual({ wrong_column_count: 1, bad_candidate_id: 1 });
    const damaged = text(...many(candidate('P60000001', 'DOE, PAT')), candidate('P60000002', 'DOE\0PAT'));
    expect(parseCandidates('cn16.zip', damaged).report.rejected).toEqual({ control_character: 1 });
  });

  it('keeps the last of several lines with the same id', () => {
    const { rows, report } = parseCandidates(
      'cn16.zip',
      text(candidate('P60000001', 'OLD, NAME'), candidate('P60000001', 'NEW, NAME')),
    );
    expect(rows.map(({ CAND_NAME }) => CAND_NAME)).toEqual(['NEW, NAME']);
    expect(report).toMatchObject({ kept: 1, duplicates: 1 });
  });

  it('rejects a file with more than 1% invalid lines or without presidential rows', () => {
    const faulty = text(...many(candidate('P60000001', 'DOE, PAT')), 'a|b', 'a|b', 'a|b');
    expect(() => parseCandidates('cn16.zip', faulty)).toThrow(
      new MasterFileError('cn16.zip', '3 of 203 lines are faulty (3 wrong_column_count)'),
    );
    expect(() => parseCandidates('cn16.zip', text(candidate('H6IL01001', 'ROE, RAY')))).toThrow(
      'cn16.zip: has no row of the offices to import in 1 lines',
    );
    expect(() => parseCandidates('cn16.zip', Buffer.alloc(0))).toThrow(
      'has no row of the offices to import in 0 lines',
    );
  });
});

describe('the parser of linkages', () => {
  it('returns linkages of all offices and of joint fundraisers, but counts only presidential ones as kept', () => {
    const bytes = text(
      linkage('P60000001', 'C00000001', '2016', '1'),
      linkage('H6IL01001', 'C00000002', '2016', '2'),
      linkage('C00000003', 'C00000002', '2016', '3'),
    );
    const { rows, report } = parseLinkages('ccl16.zip', bytes, 2016);
    expect(rows.map(({ CMTE_ID }) => CMTE_ID)).toEqual(['C00000001', 'C00000002', 'C00000002']);
    expect(report).toMatchObject({ kept: 1, rejected: {} });
  });

  it.each([
    [['2015', '10'], ['2016', '1'], '1'],
    [['2020', '10'], ['2016', '1'], '1'],
    [['2020', '10'], ['2024', '99'], '10'],
    [['2012', '10'], ['2014', '1'], '1'],
    [['2012', '10'], ['2028', '1'], '1'],
    [['2016', '9'], ['2016', '10'], '10'],
    [['', '10'], ['2012', '1'], '1'],
  ])(
    'chooses, of %j and %j of one pair, number %s: nearest election at or after the cycle, then highest number',
    (a, b, winner) => {
      const lines = [a, b].map(([election, number]) => linkage('P60000001', 'C00000001', election, number));
      for (const order of [lines, [...lines].reverse()])
        expect(parseLinkages('ccl16.zip', text(...order), 2016).rows.map(({ LINKAGE_ID }) => LINKAGE_ID)).toEqual([
          winner,
        ]);
    },
  );

  it('chooses the same linkages for any order of lines', () => {
    const line = fc.record({ pair: fc.integer({ min: 1, max: 3 }), election: fc.integer({ min: 2010, max: 2022 }) });
    const idsOf = (rows: readonly Linkage[]) => rows.map(({ LINKAGE_ID }) => LINKAGE_ID).sort();
    fc.assert(
      fc.property(
        fc.array(line, { minLength: 1, maxLength: 12 }).chain((lines) => {
          const all = lines.map(({ pair, election }, i) =>
            linkage('P60000001', `C0000000${pair}`, `${election}`, `${i}`),
          );
          return fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length }));
        }),
        ([all, shuffled]) => {
          const one = parseLinkages('ccl16.zip', text(...all), 2016).rows;
          expect(idsOf(parseLinkages('ccl16.zip', text(...shuffled), 2016).rows)).toEqual(idsOf(one));
        },
      ),
    );
  });

  it('rejects a file of another cycle and names that cycle, but skips a single line of another cycle', () => {
    const other = text(...many(linkage('P60000001', 'C00000001', '2020', '1', '2020')));
    expect(() => parseLinkages('ccl16.zip', other, 2016)).toThrow('ccl16.zip: is of cycle 2020, not of 2016');
    const stray = text(
      ...many(linkage('P60000001', 'C00000001', '2016', '1')),
      linkage('P60000001', 'C00000002', '2014', '2', '2014'),
    );
    expect(parseLinkages('ccl16.zip', stray, 2016)).toMatchObject({
      rows: { length: 1 },
      report: { rejected: { other_cycle: 1 } },
    });
  });
});

describe('the parser of committee masters', () => {
  it('keeps committees of type P and linked committees', () => {
    const { rows: linkages } = parseLinkages('ccl16.zip', text(linkage('P60000001', 'C00000002', '2016', '1')), 2016);
    const bytes = text(committee('C00000001', 'P'), committee('C00000002', 'N'), committee('C00000003', 'Q'));
    const { rows, report } = parseCommittees('cm16.zip', bytes, linkages);
    expect(rows.map(({ CMTE_ID }) => CMTE_ID)).toEqual(['C00000001', 'C00000002']);
    expect(report).toMatchObject({ lines: 3, kept: 2, rejected: {} });
  });

  it('rejects lines with an invalid committee id', () => {
    const bytes = text(...many(committee('C00000001', 'P')), committee('C1', 'P'));
    expect(parseCommittees('cm16.zip', bytes, []).report.rejected).toEqual({ bad_committee_id: 1 });
  });
});
