import { donorKeys } from '@donorlens/campaign-finance';
import { donorName } from '@donorlens/demographics';
import { CELL, FIELD_SEPARATOR } from '@donorlens/tabular';
import { filingText, receipt, refund } from '../../../../../test/support/fec-data/filings';
import { RecordMaker, type Recorded } from './import-record';
import { readFiling } from './read-filing';

const COMMITTEE = 'C00001000';
const JOINT = 'C00002000';
const CONDUIT = 'C00009000';

/** What becomes of the items of a filing. */
async function recorded(
  form: string,
  filer: string,
  items: readonly (readonly string[])[],
  committees: readonly string[] = [COMMITTEE, JOINT],
): Promise<Recorded[]> {
  const made: Recorded[] = [];
  let maker: RecordMaker | undefined;
  const text = Buffer.from(filingText({ form, filer, items }));
  await readFiling(
    (async function* () {
      yield await Promise.resolve(text);
    })(),
    {
      cover: (cover) => (maker = new RecordMaker(cover, '1000001', new Set(committees))),
      item: (item, place) => made.push(maker?.recordOf(item, place) ?? null),
    },
  );
  return made;
}

const cells = (made: Recorded): string[] =>
  made !== null && 'record' in made ? made.record.split(FIELD_SEPARATOR) : [];
const cellOf = (made: Recorded, name: keyof typeof CELL): string => cells(made)[CELL[name]];

describe('records of a presidential report', () => {
  it('have the columns of the bulk files, then line, names and streets', async () => {
    const item = receipt('SA17A', 'A1', { 10: 'Q', 12: 'JR', 14: 'APT 2', 24: 'SELF', 25: 'TEACHER', 44: 'NOTE' });
    const [made] = await recorded('F3PA', COMMITTEE, [item]);
    expect(cells(made)).toEqual([
      COMMITTEE,
      'A',
      'M4',
      'P2016',
      '',
      '15',
      'IND',
      'SAMPLE, JENNIFER Q JR',
      'SPRINGFIELD',
      'IL',
      '627010000',
      'SELF',
      'TEACHER',
      '03052016',
      '50.00',
      '',
      'A1',
      '1000001',
      '',
      'NOTE',
      '',
      'SA17A',
      'SAMPLE',
      'JENNIFER',
      '1 ELM ST',
      'APT 2',
    ]);
  });

  it.each([
    ['a gift', receipt('SA17A', 'A'), '15'],
    ['an earmarked gift, by its memo', receipt('SA17A', 'A', { 44: '* EARMARKED CONTRIBUTION' }), '15E'],
    ['an earmarked gift, by its purpose', receipt('SA17A', 'A', { 23: 'Earmk via fund' }), '15E'],
    ['a donor to a joint fundraiser', receipt('SA18', 'A', { 43: 'X' }), '15J'],
    ['a refund', refund('A'), '22Y'],
  ])('%s', async (_, item, type) => {
    const [made] = await recorded('F3PN', COMMITTEE, [item], []);
    expect(cellOf(made, 'TRANSACTION_TP')).toBe(type);
  });

  it.each([
    ['a transfer', receipt('SA18', 'A', { 6: 'COM' })],
    ['a transfer’s memo of another committee', receipt('SA18', 'A', { 6: 'COM', 43: 'X' })],
  ])('have none for %s', async (_, item) => expect(await recorded('F3PN', COMMITTEE, [item])).toEqual([null]));

  it('leave out lines of other forms', async () => {
    const lines = ['SA11AI', 'SA12', 'SA17A', 'SA18', 'SB20A', 'SB28A'].map((line) => receipt(line, 'A', { 43: 'X' }));
    const typesOf = async (form: string) =>
      (await recorded(form, COMMITTEE, lines)).map((made) => cellOf(made, 'LINE') + cellOf(made, 'TRANSACTION_TP'));
    expect(await typesOf('F3PN')).toEqual(['SA17A15', 'SA18' + '15J', 'SB28A22Y']);
    expect(await typesOf('F3T')).toEqual(['SA11AI15', 'SA12' + '15J', 'SB20A22Y']);
    expect(await typesOf('F3XA')).toEqual(['SA11AI15', 'SB28A22Y']);
  });

  it('name an organization, or a person with one name', async () => {
    const [organization, person] = await recorded('F3PN', COMMITTEE, [
      receipt('SA17A', 'A', { 6: 'ORG', 7: 'ELM CLUB', 8: '', 9: '' }),
      receipt('SA17A', 'B', { 9: '' }),
    ]);
    expect(cellOf(organization, 'NAME')).toBe('ELM CLUB');
    expect(cellOf(person, 'NAME')).toBe('SAMPLE');
  });

  it('have a reject code if an item cannot be read', async () => {
    expect(
      await recorded('F3PN', COMMITTEE, [
        receipt('SA17A', 'A', { 21: '1,000.00' }),
        receipt('SA17A', 'B').slice(0, 12),
        receipt('SA17A', 'C', { 44: 'X'.repeat(5000) }),
      ]),
    ).toEqual([{ rejected: 'bad_amount' }, { rejected: 'wrong_column_count' }, { rejected: 'too_long' }]);
  });

  it('use the line number if a row has no transaction id', async () => {
    const [, second] = await recorded('F3PN', COMMITTEE, [receipt('SA17A', ''), receipt('SA17A', '')]);
    expect(cellOf(second, 'TRAN_ID')).toBe('LINE-4');
  });
});

describe('titles in records', () => {
  const named = async (cells: Readonly<Record<number, string>>) => {
    const [made] = await recorded('F3PN', COMMITTEE, [receipt('SA17A', 'A', { 8: 'DOE', 9: 'GENE', ...cells })]);
    return { name: cellOf(made, 'NAME'), last: cellOf(made, 'LAST'), first: cellOf(made, 'FIRST') };
  };

  it.each<[Readonly<Record<number, string>>, string, 'm' | 'f' | null]>([
    [{ 11: 'MRS.' }, 'DOE, GENE MRS.', 'f'],
    [{ 10: 'Q', 11: 'MR.', 12: 'JR.' }, 'DOE, GENE Q MR. JR.', 'm'],
    [{ 11: 'Ms' }, 'DOE, GENE Ms', 'f'],
    [{ 11: 'DR.', 12: 'MD' }, 'DOE, GENE DR. MD', null],
    [{ 11: 'MR. & MRS.' }, 'DOE, GENE MR. & MRS.', null],
    [{ 11: 'SR.' }, 'DOE, GENE SR.', null], // as in the bulk files, where it is senior
    [{ 9: '', 11: 'SR.' }, 'DOE', null],
    [{ 9: '', 11: 'MR.', 12: 'JR.' }, 'DOE, JR.', null],
    [{ 9: 'MD', 11: 'MR.' }, 'DOE, MD', null], // a given name that is also a degree
    [{ 8: 'REQUESTED', 9: 'INFORMATION', 11: 'MR.' }, 'REQUESTED, INFORMATION', null],
  ])('of %j are placed behind the given names: %s', async (cells, name, gender) => {
    const made = await named(cells);
    expect(made).toEqual({ name, last: cells[8] ?? 'DOE', first: cells[9] ?? 'GENE' });
    expect(donorName(name, 'IND').titleGender).toBe(gender);
  });

  it('are left out of a name that would be longer than that of a bulk file', async () => {
    const namedWith = async (letters: number) => (await named({ 9: 'G'.repeat(letters), 11: 'MRS.' })).name.length;
    expect([await namedWith(190), await namedWith(191)]).toEqual([200, 196]);
  });

  it('do not change the donor key', async () => {
    const titles = ['Mr.', 'MRS.', 'MISS', 'REV. DR.', 'SIR', 'DAME', 'SR.', 'THE HON.'];
    const others = ['PASTOR', 'MR. & MRS.', 'MR/MRS', 'ESTATE OF', 'LLC', ',', '(', '"'];
    const keyOf = (name: string) => {
      const { surname, given } = donorName(name, 'IND');
      return donorKeys(surname, given, '62701');
    };
    for (const prefix of [...titles, ...others])
      for (const first of ['GENE', 'G.', 'MD', 'MAJOR', 'DR. GENE', 'GENE & ANN', 'MARY-ANN', 'N/A', 'ESTATE OF GENE'])
        for (const last of ['DOE', 'VAN DOE', 'GROUP'])
          for (const suffix of ['', 'JR.', 'V']) {
            const { name } = await named({ 8: last, 9: first, 11: prefix, 12: suffix });
            const plain = (await named({ 8: last, 9: first, 12: suffix })).name;
            expect([name, keyOf(name)]).toEqual([name, keyOf(plain)]);
          }
  });
});

describe('records of other committees', () => {
  const earmarked = (id: string, more = {}) =>
    receipt('SA11AI', id, { 2: CONDUIT, 44: `Earmarked for PAT DOE 2016 (${COMMITTEE})`, ...more });

  it('are those that a conduit forwards to a presidential committee', async () => {
    const made = await recorded('F3XN', CONDUIT, [
      earmarked('A'),
      earmarked('B', { 44: 'Earmarked for another (C00007777)' }),
      receipt('SA11AI', 'C', { 44: `for ${COMMITTEE}` }),
      earmarked('D', { 23: `EARMARK ${JOINT}`, 44: '' }),
      earmarked('E', { 26: COMMITTEE, 44: 'EARMARKED' }),
      refund('F'),
    ]);
    expect(made.map((one) => cells(one).slice(0, 6).concat(cells(one).slice(15, 17)))).toEqual([
      [CONDUIT, 'N', 'M4', 'P2016', '', '24T', COMMITTEE, 'A'],
      [],
      [],
      [CONDUIT, 'N', 'M4', 'P2016', '', '24T', JOINT, 'D'],
      [CONDUIT, 'N', 'M4', 'P2016', '', '24T', COMMITTEE, 'E'],
      [],
    ]);
  });

  it('of a joint fundraiser of a candidate are its own', async () => {
    const made = await recorded('F3XN', JOINT, [receipt('SA11AI', 'A'), refund('C')]);
    expect(made.map((one) => cellOf(one, 'TRANSACTION_TP'))).toEqual(['15', '22Y']);
  });

  it('are ignored if they cannot be read', async () => {
    expect(await recorded('F3XN', CONDUIT, [receipt('SA11AI', 'A').slice(0, 9)])).toEqual([null]);
  });
});
