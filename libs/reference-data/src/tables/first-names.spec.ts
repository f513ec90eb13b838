import { PackedKeyIndex } from '@donorlens/demographics';
import { readFirstNames } from './first-names';

const HEADER = 'firstname,obs,pcthispanic,pctwhite,pctblack,pctapi,pctaian,pct2prace';
const OTHERS = 'ALL OTHER FIRST NAMES,1000,10,70,10,6,1,3';
const BIRTHS = PackedKeyIndex.build(['adam', 'maryann', 'zoe']);
const read = (...lines: string[]) =>
  readFirstNames('firstnames.csv', Buffer.from(lines.map((line) => `${line}\r\n`).join('')), BIRTHS);

describe('first names by race and ethnicity', () => {
  it('are people by group at the position of the name, in the order of the surname files', () => {
    const { names, all, rows } = read(
      HEADER,
      'ZOE,200,5,80.25,10.25,2,0.5,2',
      'MARY ANN,10,0,100,0,0,0,0',
      'MARYANN,30,10,90,0,0,0,0',
      'WQZX,50,0,0,100,0,0,0',
      OTHERS,
    );
    expect([...names.codes]).toEqual([1, 2]);
    expect([...names.values]).toEqual([3_700, 0, 0, 0, 0, 300, 16_050, 2_050, 400, 100, 400, 1_000]);
    expect([...all]).toEqual([89_750, 17_050, 6_400, 1_100, 3_400, 11_300]);
    expect(rows).toBe(4);
    expect(read(`\ufeff${HEADER}`, 'ZOE,200,5,80,10,5,0,0', OTHERS).rows).toBe(1);
  });

  it.each([
    ['another header', ['name,obs'], `line 1: the header is not ${HEADER}`],
    ['a missing field', [HEADER, 'ZOE,200,5,80,10,5,0'], 'line 2: has 7 fields, expected 8'],
    ['a count with decimals', [HEADER, 'ZOE,2.5,5,80,10,5,0,0'], 'line 2: obs is not a whole number'],
    ['text as a percentage', [HEADER, 'ZOE,200,5,80,10,x,0,5'], 'line 2: pctapi is not a percentage'],
    ['a file that is cut', [HEADER, 'ZOE,200,5,80,10,5,0,0'], 'has no row ALL OTHER FIRST NAMES'],
    ['percentages of 99.4', [HEADER, 'ZOE,200,5,80,10,4.4,0,0'], 'line 2: the six percentages do not add up to 100'],
    ['a name twice', [HEADER, ...Array<string>(2).fill('ZOE,200,5,80,10,5,0,0')], 'line 3: ZOE is listed twice'],
    ['unknown names only', [HEADER, 'WQZX,200,5,80,10,5,0,0', OTHERS], 'has no first name of the birth files'],
  ])('are refused with %s', (_, lines, message) => {
    expect(() => read(...lines)).toThrow(message);
  });
});
