import { type Census, raceAt } from '@donorlens/demographics';
import { storedZip } from '../../../../test/support/sample-data/stored-zip';
import { readSurnames } from './surnames';

const HEADER = 'name,rank,count,prop100k,cum_prop100k,pctwhite,pctblack,pctapi,pctaian,pct2prace,pcthispanic';
const SMITHSON = 'SMITHSON,1,4000,1.4,1.4,70.9,23.11,0.5,0.89,2.2,2.4';
const MEMBERS: Readonly<Record<Census, string>> = {
  ...{ 2000: 'app_c.csv', 2010: 'Names_2010Census.csv', 2020: 'Names_2020Census.csv' },
};
const read = (lines: string[], census: Census = 2010, end = '\r\n') => {
  return readSurnames(
    'names.zip',
    census,
    storedZip(new Map([[MEMBERS[census], Buffer.from(lines.map((l) => l + end).join(''))]])),
  );
};
const cellsOf = (lines: string[]) => read([HEADER, ...lines]).then(({ table }) => [...table.pct]);

describe('surnames', () => {
  it('reads percentages as hundredths, with and without trailing zeros', async () => {
    expect(await cellsOf([SMITHSON])).toEqual([7090, 2311, 50, 89, 220, 240]);
    expect(await cellsOf(['ROE,1,100,0.03,0.03,100.00,0,0.00,0.0,0,0'])).toEqual([10_000, 0, 0, 0, 0, 0]);
  });

  it('fills suppressed cells and remembers which they were', async () => {
    const { table } = await read([HEADER, 'ROE,1,100,0.03,0.03,90,(S),5,(S),3,0']);
    expect([...table.pct]).toEqual([9000, 100, 500, 100, 300, 0]);
    expect([table.suppressed[0], raceAt(table, 0)]).toEqual([0b1010, 'white']);
  });

  it('does not treat ALL OTHER NAMES as a surname', async () => {
    const { table, facts } = await read([
      HEADER,
      SMITHSON,
      'ALL OTHER NAMES,0,29312001,9936.97,9936.97,66.65,8.53,7.97,0.86,2.32,13.67',
    ]);
    expect([table.names.size, facts.rows, facts.people]).toEqual([1, 1, 4000]);
  });

  it('reads a file of 2020 in the layout of 2010, and names the expected header of another layout', async () => {
    const { table } = await read([HEADER, SMITHSON], 2020);
    expect([table.census, table.names.find('SMITHSON')]).toEqual([2020, 0]);
    await expect(read(['NAME,RANK,FREQUENCY', 'SMITHSON,1,4000'], 2020)).rejects.toThrow(
      `names.zip Names_2020Census.csv line 1: the header is not ${HEADER}`,
    );
  });

  it('keeps names that other programs take for missing values', async () => {
    const names = ['NULL', 'NAN', 'TRUE', 'NAME', 'NA'];
    const { table } = await read([HEADER, ...names.map((name) => SMITHSON.replace('SMITHSON', name))]);
    expect(names.map((name) => table.names.find(name))).toEqual([0, 1, 2, 3, 4]);
  });

  it('counts rows of the 2000 file that are topped off at 99.00 as whole', async () => {
    const { facts } = await read(
      [HEADER, 'ZUSI,150436,100,0.04,89753.56,99.00,0.00,0.00,0.00,0.00,0.00', SMITHSON.replace('2.4', '1.70')],
      2000,
      '\n',
    );
    expect(facts.oddSums).toBe(0);
  });

  it.each([
    [['surname,rank'], 'line 1: the header is not'],
    [[HEADER], 'holds no surname'],
    [[HEADER, 'ROE,1,100'], 'line 2: has 3 fields, expected 11'],
    [[HEADER, SMITHSON, SMITHSON], 'line 3: SMITHSON is listed twice'],
    [[HEADER, SMITHSON.replace('4000', '99')], 'line 2: the count is below 100'],
    [[HEADER, SMITHSON.replace('70.9', '101')], 'line 2: a percentage is not between 0 and 100 or (S)'],
    [[HEADER, SMITHSON.replace('70.9', '-1')], 'a percentage is not'],
    [[HEADER, SMITHSON.replace('70.9', '70.901')], 'a percentage is not'],
    [[HEADER, SMITHSON.replace('70.9', '')], 'a percentage is not'],
    [[HEADER, SMITHSON.replace('70.9', '50')], 'line 2: the percentages make 79.1, not 100'],
    [[HEADER, SMITHSON.replace('70.9', '90')], 'the percentages make 119.1, not 100'],
    [[HEADER, SMITHSON.replace('SMITHSON', "O'BRIEN")], 'line 2: a surname has letters A to Z only'],
    [[HEADER, 'ALL OTHER NAMES,0,29312001,1,1,66.65,8.53,7.97,0.86,2.32,13.67', SMITHSON], 'is not the last row'],
  ])('refuses %j', async (lines, message) => {
    await expect(read(lines)).rejects.toThrow(message);
  });

  it('refuses the zip of the other census', async () => {
    const zip = storedZip(new Map([['app_c.csv', Buffer.from(`${HEADER}\n${SMITHSON}\n`)]]));
    await expect(readSurnames('census/surnames/2010/names.zip', 2010, zip)).rejects.toThrow(
      'unexpected member "app_c.csv"',
    );
  });
});
