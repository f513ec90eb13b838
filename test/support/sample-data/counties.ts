import { crc32 } from 'node:zlib';

/**
 * Every county of five small states: names and codes of INCITS 31 (Census Bureau, ANSI and FIPS codes, 2010).
 * Income is synthetic: a round number for each state, around which counties vary. None is a published estimate.
 */
const STATES = [
  {
    usps: 'CT',
    fips: '09',
    name: 'Connecticut',
    classCode: 'H4',
    income: 76_000,
    counties:
      '001 Fairfield,003 Hartford,005 Litchfield,007 Middlesex,009 New Haven,011 New London,013 Tolland,015 Windham',
  },
  {
    usps: 'DE',
    fips: '10',
    name: 'Delaware',
    classCode: 'H1',
    income: 64_000,
    counties: '001 Kent,003 New Castle,005 Sussex',
  },
  {
    usps: 'HI',
    fips: '15',
    name: 'Hawaii',
    classCode: 'H1',
    income: 78_000,
    counties: '001 Hawaii,003 Honolulu,005 Kalawao,007 Kauai,009 Maui',
  },
  {
    usps: 'NH',
    fips: '33',
    name: 'New Hampshire',
    classCode: 'H1',
    income: 72_000,
    counties:
      '001 Belknap,003 Carroll,005 Cheshire,007 Coos,009 Grafton,011 Hillsborough,013 Merrimack,015 Rockingham,' +
      '017 Strafford,019 Sullivan',
  },
  {
    usps: 'RI',
    fips: '44',
    name: 'Rhode Island',
    classCode: 'H4',
    income: 63_000,
    counties: '001 Bristol,003 Kent,005 Newport,007 Providence,009 Washington',
  },
] as const;

/** Too few people for an estimate; the published file has a missing value, too. */
const WITHOUT_ESTIMATE = '15005';
const COUNTRY_INCOME = 62_000;

interface Area {
  readonly state: string;
  readonly county: string;
  readonly usps: string;
  readonly name: string;
  readonly income: number | null;
}

/** Income in whole hundreds of dollars, within a quarter of the level of the state. */
function incomeOf(fips: string, level: number): number | null {
  if (fips === WITHOUT_ESTIMATE) return null;
  return Math.round((level * (0.75 + (0.5 * crc32(Buffer.from(fips, 'latin1'))) / 2 ** 32)) / 100) * 100;
}

const countiesOf = (state: (typeof STATES)[number]): Area[] =>
  state.counties.split(',').map((entry) => {
    const county = entry.slice(0, 3);
    const income = incomeOf(state.fips + county, state.income);
    return { state: state.fips, county, usps: state.usps, name: `${entry.slice(4)} County`, income };
  });

/** `est18all.txt`: fixed width; unused poverty columns have the dot of a missing value. */
export function incomeFile(): Buffer {
  const areas: Area[] = [
    { state: '00', county: '000', usps: 'US', name: 'United States', income: COUNTRY_INCOME },
    ...STATES.flatMap((state) => [
      { state: state.fips, county: '000', usps: state.usps, name: state.name, income: state.income },
      ...countiesOf(state),
    ]),
  ];
  return Buffer.from(areas.map((area) => `${fixedWidth(area)}\n`).join(''), 'latin1');
}

/** Last position (1-based) of each right-aligned number between the county code and the name. */
const NUMBER_ENDS = [
  15, 24, 33, 38, 43, 48, 57, 66, 75, 80, 85, 90, 99, 108, 117, 122, 127, 132, 139, 146, 153, 161, 169, 177, 182, 187,
  192,
];
const INCOME_END = 139;

function fixedWidth({ state, county, usps, name, income }: Area): string {
  let line = `${state} ${county}`;
  for (const end of NUMBER_ENDS)
    line += (end === INCOME_END && income !== null ? String(income) : '.').padStart(end - line.length);
  return `${line} ${name.padEnd(45)} ${usps} sample18.txt made by a model`;
}

/** `national_county.txt`: no header, CRLF. */
export function countyListFile(): Buffer {
  const lines = STATES.flatMap((state) =>
    countiesOf(state).map(({ county, name }) => `${state.usps},${state.fips},${county},${name},${state.classCode}\r\n`),
  );
  return Buffer.from(lines.join(''), 'latin1');
}

/** First three digits of the ZIP codes of the sample's people, and the county of each. */
const ZIP_AREAS = {
  '061': '09003',
  '066': '09001',
  '065': '09009',
  '198': '10003',
  '199': '10001',
  '968': '15003',
  '967': '15001',
  '031': '33011',
  '033': '33013',
  '029': '44007',
  '028': '44005',
} as const;
const SHARED_ZIPS = { '19850': '10001', '03150': '33015' } as const;
const ZIP_HEADER =
  'ZCTA5,STATE,COUNTY,GEOID,POPPT,HUPT,AREAPT,AREALANDPT,ZPOP,ZHU,ZAREA,ZAREALAND,COPOP,COHU,COAREA,COAREALAND,' +
  'ZPOPPCT,ZHUPCT,ZAREAPCT,ZAREALANDPCT,COPOPPCT,COHUPCT,COAREAPCT,COAREALANDPCT';

/** A line of `zcta_county_rel_10.txt`; people and areas are synthetic. */
export const zipCountyLine = (zip: string, fips: string, sharePct: number): string =>
  [
    zip,
    fips.slice(0, 2),
    fips.slice(2),
    fips,
    ...Array<number>(12).fill(1),
    sharePct,
    ...Array<number>(7).fill(1),
  ].join(',');

/** The ZIP codes that end with 50 to 69 in each area. */
const zipsOf = (area: string): string[] => Array.from({ length: 20 }, (_, at) => `${area}${50 + at}`);

export const zipCodes = (): string[] => Object.keys(ZIP_AREAS).flatMap(zipsOf);

export const countyCodes = (): string[] =>
  STATES.flatMap((state) => countiesOf(state).map(({ county }) => state.fips + county));

/** `zcta_county_rel_10.txt`; two of the ZIP codes are in two counties. */
export function zipCountyFile(): Buffer {
  const lines = Object.entries(ZIP_AREAS).flatMap(([area, fips]) =>
    zipsOf(area).flatMap((zip) => {
      const other = (SHARED_ZIPS as Readonly<Record<string, string>>)[zip];
      return other
        ? [zipCountyLine(zip, other, 37.5), zipCountyLine(zip, fips, 62.5)]
        : [zipCountyLine(zip, fips, 100)];
    }),
  );
  return Buffer.from([ZIP_HEADER, ...lines].map((line) => `${line}\n`).join(''), 'latin1');
}
