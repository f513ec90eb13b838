import fc from 'fast-check';
import { AreaTable } from './area-table';
import {
  type EthnicGeography,
  type NameLookup,
  emptyPlaceEthnicity,
  placeEthnicity,
  tractIncome,
} from './place-ethnicity';

/** Builds an area table from rows of a code and the people of six groups. */
const areas = (...rows: readonly (readonly [code: number, ...people: number[]])[]) =>
  new AreaTable(
    Float64Array.from(rows, ([code]) => code),
    Uint32Array.from(rows.flatMap(([, ...people]) => people.map((one) => Math.round(100 * one)))),
  );

/** With 5 people added to each group, the nation has 6000, 1000, 500, 100, 200 and 2000 people. */
const GEOGRAPHY: EthnicGeography = {
  nation: Float64Array.of(599_500, 99_500, 49_500, 9_500, 19_500, 199_500),
  county: areas([10_001, 600, 200, 50, 10, 40, 100], [10_003, 0, 0, 0, 0, 0, 500]),
  tract: areas([10_001_000_100, 57, 99, 4.75, 0.95, 1.8, 19.5], [10_001_000_200, 0, 0, 0, 0, 0, 0]),
  zcta: areas([19_950, 5_997, 0, 0, 0, 0, 0]),
  otherNames: Uint16Array.of(6_665, 853, 797, 86, 232, 1_367),
  firstNames: null,
};
const [FIPS, TRACT, EMPTY_TRACT, ZIP] = ['10001', '000100', '000200', '19950'];
const NOWHERE = { fips: null, tract: null, zip: null };

const listed = (...pctHundredths: number[]): NameLookup => ({
  pctHundredths,
  race: 'white',
  isSurnameUnlisted: false,
  nameIndex: -1,
});
const SURNAME = listed(5_000, 3_000, 500, 500, 500, 500);
const UNLISTED: NameLookup = { pctHundredths: null, race: null, isSurnameUnlisted: true, nameIndex: -1 };

const estimate = (surname: NameLookup, place: Partial<typeof NOWHERE> | Record<string, string>, of = GEOGRAPHY) => {
  const found = placeEthnicity(surname, { ...NOWHERE, ...place }, of, emptyPlaceEthnicity());
  return { ...found, pctHundredths: found.pctHundredths && Array.from(found.pctHundredths) };
};

describe('ethnicity by surname and place (white, black, api, aian, 2prace, hispanic)', () => {
  it('weights the shares of the surname by the part of each group that lives in the tract', () => {
    // County shares are 60, 20, 5, 1, 4 and 10 %, so the tract gets 3, 1, 0.25, 0.05, 0.2 and 0.5 more people:
    // 60/6000, 100/1000, 5/500, 1/100, 2/200, 20/2000. Black has weight 10, others 1: 50, 300, 5, 5, 5, 5 of 370.
    expect(estimate(SURNAME, { fips: FIPS, tract: TRACT })).toEqual({
      ethnicityBasis: 'tract',
      isSurnameListed: true,
      race: 'black',
      pctHundredths: [1352, 8108, 135, 135, 135, 135],
    });
  });

  it('estimates an empty tract from the proportions of its county', () => {
    // 3/6000, 1/1000, .25/500, .05/100, .2/200, .5/2000 are in ratio 2, 4, 2, 2, 4, 1: 100, 120, 10, 10, 20, 5 of 265.
    const { pctHundredths, ethnicityBasis } = estimate(SURNAME, { fips: FIPS, tract: EMPTY_TRACT });
    expect([ethnicityBasis, pctHundredths]).toEqual(['tract', [3774, 4528, 377, 377, 755, 189]]);
  });

  it('uses the tract before the ZCTA, the ZCTA before the county, else only the surname', () => {
    const basisOf = (place: object) => estimate(SURNAME, place).ethnicityBasis;
    expect(basisOf({ fips: FIPS, tract: TRACT, zip: ZIP })).toBe('tract');
    expect(basisOf({ fips: FIPS, tract: '999999', zip: ZIP })).toBe('zcta');
    expect(basisOf({ fips: FIPS, zip: ZIP })).toBe('zcta');
    expect(basisOf({ zip: ZIP })).toBe('zcta');
    expect(basisOf({ fips: FIPS, tract: '999999', zip: '00000' })).toBe('county');
    expect(basisOf({ fips: FIPS, zip: '' })).toBe('county');
    expect(estimate(SURNAME, { fips: '99999', tract: TRACT, zip: '00000' })).toEqual({
      ...{ pctHundredths: SURNAME.pctHundredths, race: SURNAME.race },
      ethnicityBasis: 'surname',
      isSurnameListed: true,
    });
  });

  it('adds people to a ZCTA and a county in the proportions of the nation', () => {
    // The nation has 5995, 995, 495, 95, 195 and 1995 people of 9770; 5 people are added in these proportions.
    const nation = [5995, 995, 495, 95, 195, 1995];
    const added = nation.map((people) => (5 * people) / 9770);
    const parts = added.map((people, group) => (people + (group === 0 ? 5997 : 0)) / (nation[group] + 5));
    const weights = parts.map((part, group) => part * [50, 30, 5, 5, 5, 5][group]);
    const total = weights.reduce((a, b) => a + b);
    const { pctHundredths } = estimate(SURNAME, { zip: ZIP });
    pctHundredths?.forEach((pct, group) => expect(pct / 100).toBeCloseTo((100 * weights[group]) / total, 1));
    expect(estimate(SURNAME, { fips: FIPS }).pctHundredths).not.toEqual(SURNAME.pctHundredths);
  });

  it('changes the shares little for an empty ZCTA, which gets the proportions of the nation', () => {
    // The shares times 5995/6000, 995/1000, 495/500, 95/100, 195/200 and 1995/2000 add up to 99.371.
    const geography = { ...GEOGRAPHY, zcta: areas([19_951, 0, 0, 0, 0, 0, 0]) };
    const { pctHundredths } = estimate(SURNAME, { zip: '19951' }, geography);
    expect(pctHundredths).toEqual([5027, 3004, 498, 478, 491, 502]);
  });

  it('adds no people to a tract in a county without people', () => {
    const geography = {
      ...GEOGRAPHY,
      county: areas([10_001, 600, 200, 50, 10, 40, 100], [10_005, 0, 0, 0, 0, 0, 0]),
      tract: areas([10_005_000_100, 60, 10, 0, 0, 0, 0]),
    };
    // 60/6000 equals 10/1000, so the shares are 50 and 30 of 80.
    const { pctHundredths } = estimate(SURNAME, { fips: '10005', tract: TRACT }, geography);
    expect(pctHundredths).toEqual([6250, 3750, 0, 0, 0, 0]);
  });

  it('adds people to a tract in the proportions of its own county', () => {
    const geography = { ...GEOGRAPHY, tract: areas([10_003_000_100, 0, 0, 0, 0, 0, 0]) };
    const { pctHundredths } = estimate(SURNAME, { fips: '10003', tract: TRACT }, geography);
    expect(pctHundredths).toEqual([0, 0, 0, 0, 0, 10_000]);
  });

  it('weighs the estimate also with the first name, and an unlisted first name like none', () => {
    // Of 990 people 895 are white and 95 black, so the name gets 4.52 and 0.48 more: 49.52/900 is .0550 and 50.48/100
    // is .5048, for the other groups 0. The county keeps 50 and 30 of 80 (603.07/6000 and 100.51/1000): 2.751 and 15.144.
    const all = Float64Array.of(89_500, 9_500, 0, 0, 0, 0);
    const names = new AreaTable(Float64Array.of(7), Uint32Array.of(4_500, 5_000, 0, 0, 0, 0), 1);
    const geography = { ...GEOGRAPHY, county: areas([10_001, 600, 100, 0, 0, 0, 0]), firstNames: { names, all } };
    const shares = (nameIndex: number) => estimate({ ...SURNAME, nameIndex }, { fips: FIPS }, geography).pctHundredths;
    expect(shares(7)).toEqual([1537, 8463, 0, 0, 0, 0]);
    expect(shares(8)).toEqual(shares(-1));
    expect(estimate({ ...SURNAME, nameIndex: 7 }, {}, geography).pctHundredths).toEqual(SURNAME.pctHundredths);
  });

  it('rounds up the first of equal remainders', () => {
    const same = [1, 1, 1, 1, 1, 1];
    const geography = {
      ...GEOGRAPHY,
      nation: Float64Array.from(same, () => 99_500),
      county: areas([10_001, ...same]),
    };
    const { pctHundredths } = estimate(listed(1_000, 1_000, 1_000, 0, 0, 0), { fips: FIPS }, geography);
    expect(pctHundredths).toEqual([3334, 3333, 3333, 0, 0, 0]);
  });

  it('keeps the ethnicity of the surname file without a known area', () => {
    expect(estimate({ ...SURNAME, race: null }, {}).race).toBeNull();
  });

  it('uses the shares of ALL OTHER NAMES for an unlisted surname, with isSurnameListed false', () => {
    expect(estimate(UNLISTED, {})).toEqual({
      ethnicityBasis: 'surname',
      isSurnameListed: false,
      race: 'white',
      pctHundredths: [6_665, 853, 797, 86, 232, 1_367],
    });
    // 66.65 × 1, 8.53 × 10 and the other shares × 1 add up to 176.77.
    expect(estimate(UNLISTED, { fips: FIPS, tract: TRACT })).toMatchObject({
      ethnicityBasis: 'tract',
      isSurnameListed: false,
      race: 'black',
      pctHundredths: [3771, 4826, 451, 49, 131, 773].map((pct) => expect.closeTo(pct, -0.5) as number),
    });
  });

  it('returns no estimate for a row without a surname', () => {
    const none = { ...UNLISTED, isSurnameUnlisted: false };
    expect(estimate(none, { fips: FIPS, tract: TRACT })).toEqual(emptyPlaceEthnicity());
  });

  it('keeps a group at 0 whose surname share is 0, and treats filled suppressed cells like published ones', () => {
    const { pctHundredths } = estimate(listed(9_000, 0, 33, 33, 500, 400), { fips: FIPS, tract: TRACT });
    expect(pctHundredths?.[1]).toBe(0);
    expect(pctHundredths?.[2]).toBe(pctHundredths?.[3]);
    expect(pctHundredths?.[2]).toBeGreaterThan(0);
  });

  it('skips an area that excludes every group of the surname', () => {
    const nation = Float64Array.of(599_500, 0, 0, 0, 0, 0);
    expect(
      estimate(listed(0, 10_000, 0, 0, 0, 0), { fips: '10003', zip: ZIP }, { ...GEOGRAPHY, nation }),
    ).toMatchObject({
      ethnicityBasis: 'surname',
      pctHundredths: [0, 10_000, 0, 0, 0, 0],
    });
  });

  it('returns in a tie the first of white, black, hispanic, api, aian, 2prace', () => {
    expect(estimate(listed(0, 0, 5_000, 0, 0, 5_000), { fips: FIPS, tract: TRACT }).race).toBe('hispanic');
  });

  it('adds up to 100 % if it uses an area', () => {
    const six = (max: number) => fc.array(fc.integer({ min: 0, max }), { minLength: 6, maxLength: 6 });
    fc.assert(
      fc.property(six(10_000), six(5_000), six(50_000), six(10_000_000), (shares, tract, county, nation) => {
        const geography = {
          ...GEOGRAPHY,
          nation: Float64Array.from(nation, (people) => 100 * people + 1),
          county: areas([10_001, ...county]),
          tract: areas([10_001_000_100, ...tract]),
        };
        const { pctHundredths, ethnicityBasis } = estimate(listed(...shares), { fips: FIPS, tract: TRACT }, geography);
        if (ethnicityBasis === 'surname') return;
        expect(pctHundredths?.reduce((a, b) => a + b)).toBe(10_000);
        pctHundredths?.forEach((pct, group) => expect(pct === 0 || shares[group] > 0).toBe(true));
      }),
    );
  });
});

describe('the income of a tract', () => {
  const incomes = new AreaTable(Float64Array.of(10_001_000_100, 10_001_000_200), Uint32Array.of(54_000, 61_000));

  it('is found by county and tract code, and null for an unknown tract', () => {
    expect(tractIncome(incomes, { fips: FIPS, tract: TRACT })).toBe(54_000);
    expect(tractIncome(incomes, { fips: FIPS, tract: EMPTY_TRACT })).toBe(61_000);
    expect(tractIncome(incomes, { fips: FIPS, tract: '000300' })).toBeNull();
    expect(tractIncome(incomes, { fips: FIPS, tract: null })).toBeNull();
  });
});
