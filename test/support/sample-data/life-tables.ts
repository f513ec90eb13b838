import { between } from './first-names';

const AGES = 120;
/** Years of the observed and of the projected file. */
const SPANS = { Hist: [1900, 2017], Alt2: [2018, 2095] } as const;

/**
 * Model: yearly hazard at exact age x in calendar year Y, by the Gompertz-Makeham law with a term for infants,
 *     mu(x) = infant * exp(-1.6 x) + makeham + gompertz * exp(slope * x)
 * (Gompertz 1825, Makeham 1860; the infant term is the first of Siler 1979), q(x) = 1 - exp(-integral over the year).
 * The parameters are chosen for this sample: life expectancy at birth is near 46 / 48 years in 1900, 66 / 71 in 1950,
 * 74 / 80 in 2000 (males / females; National Vital Statistics Reports, United States Life Tables), later higher.
 * Linear interpolation between the given years; infant, makeham and gompertz in their logarithms.
 */
const PARAMETERS = {
  M: {
    infant: [1900, 0.245, 1950, 0.052, 2000, 0.011, 2095, 0.0025],
    makeham: [1900, 0.0066, 1950, 0.0016, 2000, 0.0009, 2095, 0.0004],
    gompertz: [1900, 0.00022, 1950, 0.00013, 2000, 0.00005, 2095, 0.00001],
    slope: [1900, 0.077, 1950, 0.083, 2000, 0.089, 2095, 0.1],
  },
  F: {
    infant: [1900, 0.2, 1950, 0.04, 2000, 0.009, 2095, 0.002],
    makeham: [1900, 0.0062, 1950, 0.0008, 2000, 0.0003, 2095, 0.00015],
    gompertz: [1900, 0.0002, 1950, 0.00006, 2000, 0.000022, 2095, 0.000006],
    slope: [1900, 0.076, 1950, 0.087, 2000, 0.095, 2095, 0.103],
  },
} as const;
const INFANT_FALL = 1.6;

type ModelSex = keyof typeof PARAMETERS;
type Anchors = readonly [number, number, number, number, number, number, number, number];

const points = (a: Anchors): [number, number][] => [
  [a[0], a[1]],
  [a[2], a[3]],
  [a[4], a[5]],
  [a[6], a[7]],
];
const inLogarithms = (anchors: Anchors, year: number): number =>
  Math.exp(
    between(
      points(anchors).map(([at, value]): [number, number] => [at, Math.log(value)]),
      year,
    ),
  );

/** Probability of dying between exact ages x and x + 1. */
function dying(sex: ModelSex, year: number, x: number): number {
  const { infant, makeham, gompertz, slope } = PARAMETERS[sex];
  const beta = between(points(slope), year);
  const early = (inLogarithms(infant, year) / INFANT_FALL) * Math.exp(-INFANT_FALL * x) * (1 - Math.exp(-INFANT_FALL));
  const late = (inLogarithms(gompertz, year) / beta) * Math.exp(beta * x) * (Math.exp(beta) - 1);
  return 1 - Math.exp(-(early + inLogarithms(makeham, year) + late));
}

/**
 * The four files in the layout of the period life tables. Year, x and q(x) are filled in; the eleven derived columns
 * are empty, which keeps the sample small.
 */
export function lifeTableFiles(edition: string): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  for (const sex of ['F', 'M'] as const)
    for (const span of ['Hist', 'Alt2'] as const) {
      const lines = [
        'Sample life tables, made by a model; not published figures.',
        'Gompertz-Makeham law with a term for infants; see test/support/sample-data/life-tables.ts.',
        sex === 'F' ? 'Females' : 'Males',
        ',,,,,,,o,,,,,..,    ..    (12)',
        'Year,x,q(x),l(x),d(x),L(x),T(x),e(x),D(x),M(x),A(x),N(x),a(x),12a(x)',
      ];
      for (let year: number = SPANS[span][0]; year <= SPANS[span][1]; year++)
        for (let x = 0; x < AGES; x++) lines.push(`${year},${x},${dying(sex, year, x).toFixed(6)},,,,,,,,,,,`);
      files.set(`PerLifeTables_${sex}_${span}_${edition}.csv`, Buffer.from(`${lines.join('\n')}\n`, 'latin1'));
    }
  return files;
}
