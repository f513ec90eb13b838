import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { OFFICIAL_DATA, describeWith } from '../tools';
import { type Address, canonical, fromWritten } from './address';
import { STATES } from './states';
import { Truths } from './truth';

const truths = new Truths(null);
const oak = (number: number, state = 'NY'): Address => ({
  street: `${number} Oak Street`,
  city: 'Example City',
  state,
  zip: '10001',
});
const numbers = Array.from({ length: 4000 }, (_, at) => at + 1);

describe('the spellings of an address', () => {
  it.each([
    ['12 West Third Street, Apt. 5', 'Springfield', 'Ohio', '45501-1234', '12 W 3RD ST, SPRINGFIELD, OH, 45501'],
    ['12 w. 3rd st #5', 'SPRINGFIELD', 'OH', '45501', '12 W 3RD ST, SPRINGFIELD, OH, 45501'],
    ['7 Peña Avenue NE', 'Doña Ana', 'NM', '88032', '7 PENA AVE NE, DONA ANA, NM, 88032'],
    ['9 South Street', 'Exeter', 'nh', '3833', '9 SOUTH ST, EXETER, NH, 03833'],
    ['30 Mill Rd PO Box 12', 'Exeter', 'NH', '03833', '30 MILL RD, EXETER, NH, 03833'],
    ['30 Avenue P, P.O. Box 12', 'Brooklyn', 'NY', '11204', '30 AVENUE P, BROOKLYN, NY, 11204'],
    ['1-20 N Broadway', 'Queens', 'NY', '11375', '1-20 N BROADWAY, QUEENS, NY, 11375'],
  ])('have one canonical form: %s, %s, %s, %s', (street, city, state, zip, expected) => {
    expect(canonical({ street, city, state, zip })).toBe(expected);
    expect(canonical(fromWritten(expected))).toBe(expected);
  });
});

describe('synthetic outcomes', () => {
  it('are the same in every run, for every spelling', () => {
    const address = { street: '1520 Division St', city: 'Blytheville', state: 'AR', zip: '72315' };
    expect(truths.of(address)).toMatchInlineSnapshot(`
     {
       "block": "1030",
       "fips": "05119",
       "isExact": false,
       "lat": "35.173211",
       "lon": "-92.287573",
       "matchedAddress": "1520 S DIVISION ST, BLYTHEVILLE, AR, 72315",
       "outcome": "MATCH",
       "side": "R",
       "tigerLineId": "57646414",
       "tract": "762502",
     }
    `);
    expect(truths.of({ ...address, street: '1520 division STREET, Suite 200', zip: '72315-0001' })).toEqual(
      new Truths(null).of(address),
    );
  });

  it('have the proportions of the recorded outcomes', () => {
    const share = (wanted: string): number =>
      numbers.filter((number) => kindOf(oak(number)) === wanted).length / numbers.length;
    expect(share('exact')).toBeCloseTo(0.511, 1);
    expect(share('non-exact')).toBeCloseTo(0.184, 1);
    expect(share('NO_MATCH')).toBeCloseTo(0.266, 1);
    expect(share('TIE')).toBeGreaterThan(0.02);
    expect(share('TIE')).toBeLessThan(0.06);
  });

  it('put the candidates of a tie into one county for about half of the ties', () => {
    const ties = numbers.flatMap((number) => {
      const truth = truths.of(oak(number));
      return truth.outcome === 'TIE' ? [truth.candidates.map(({ fips }) => fips)] : [];
    });
    const alike = ties.filter(([one, other]) => one === other).length / ties.length;
    expect(alike).toBeGreaterThan(0.35);
    expect(alike).toBeLessThan(0.65);
  });

  it('are no match without a house number, a street, a city, a state or a ZIP code', () => {
    const found = numbers.slice(0, 50).map((number) => oak(number));
    const without = (change: Partial<Address>): string[] => [
      ...new Set(found.map((address) => truths.of({ ...address, ...change }).outcome)),
    ];
    expect(without({})).toContain('MATCH');
    for (const change of [{ street: 'PO Box 12' }, { street: '12' }, { city: '' }, { state: 'ZZ' }, { zip: '' }])
      expect(without(change)).toEqual(['NO_MATCH']);
  });

  it('give every match a county of its state, a tract, a block and coordinates', () => {
    fc.assert(
      fc.property(fc.nat(99_999), fc.constantFrom(...STATES), (number, state) => {
        const truth = truths.of(oak(number, state.usps));
        const spots = truth.outcome === 'MATCH' ? [truth] : truth.outcome === 'TIE' ? truth.candidates : [];
        for (const { fips, tract, block, lon, lat } of spots) {
          expect(state.counties.map(({ code }) => state.fips + code)).toContain(fips);
          expect([tract, block].join()).toMatch(/^\d{6},[1-4]\d{3}$/);
          expect([lon, lat].join()).toMatch(/^-?\d+\.\d{6},\d+\.\d{6}$/);
        }
      }),
    );
  });

  it('use the planning regions of Connecticut in current vintages, and its counties in vintages until 2021', () => {
    const match = numbers.map((number) => oak(number, 'CT')).find((address) => truths.of(address).outcome === 'MATCH')!;
    const fips = (vintage: string): unknown => (truths.of(match, vintage) as { fips: unknown }).fips;
    expect(['Census2010_Current', 'Census2020_Current', 'ACS2021_Current'].map(fips).join()).toMatch(
      /^(090(01|03|09),?){3}$/,
    );
    expect(['Current_Current', 'ACS2022_Current'].map(fips).join()).toMatch(/^(091(10|70|90),?){2}$/);
  });
});

describe('an outcome set by a test', () => {
  const address = oak(1);

  it('has precedence over all other outcomes, in every spelling', () => {
    const planted = new Truths(null);
    planted.plant(address, { outcome: 'MATCH', isExact: false, fips: '36061', tract: '005000', block: '1002' });
    expect(planted.of({ ...address, street: '1 OAK ST' })).toMatchObject({
      outcome: 'MATCH',
      isExact: false,
      matchedAddress: '1 OAK ST, EXAMPLE CITY, NY, 10001',
      fips: '36061',
      tract: '005000',
      block: '1002',
    });
    planted.plant(address, { outcome: 'TIE', candidates: [{ fips: '36061' }, { fips: '36047' }] });
    expect(planted.of(address)).toMatchObject({ candidates: [{ fips: '36061' }, { fips: '36047' }] });
    planted.plant(address, { outcome: 'NO_MATCH' });
    expect(planted.of(address)).toEqual({ outcome: 'NO_MATCH' });
  });

  it('needs a state if some parts are generated', () => {
    expect(() => new Truths(null).plant({ ...address, state: '' }, { outcome: 'MATCH' })).toThrow('state');
  });
});

describeWith('official data')('the table of counties', () => {
  it('has only codes and names that the Census Bureau lists', () => {
    const list = readFileSync(join(OFFICIAL_DATA, 'census/geo/national_county.txt'), 'latin1');
    const listed = new Set(list.split(/\r?\n/).map((line) => line.split(',').slice(0, 4).join()));
    const ours = STATES.flatMap(({ usps, fips, counties }) =>
      counties.map(({ code, name }) => [usps, fips, code, name].join()),
    );
    expect(ours.filter((line) => !listed.has(line))).toEqual([]);
    expect(STATES).toHaveLength(54);
  });
});

function kindOf(address: Address): string {
  const truth = truths.of(address);
  return truth.outcome !== 'MATCH' ? truth.outcome : truth.isExact ? 'exact' : 'non-exact';
}
