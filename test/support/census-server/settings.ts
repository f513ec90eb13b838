/** Benchmarks and vintages by id. Source: Geocoding Services API (Census Bureau, 2024) and answers of the service. */

export interface Benchmark {
  readonly id: string;
  readonly benchmarkName: string;
  readonly benchmarkDescription: string;
  readonly isDefault: boolean;
}
export interface Vintage {
  readonly id: string;
  readonly vintageName: string;
  readonly vintageDescription: string;
  readonly isDefault: boolean;
}

const benchmark = (id: string, year: string, isDefault = false): Benchmark => ({
  id,
  benchmarkName: `Public_AR_${year}`,
  benchmarkDescription: `Public Address Ranges - ${year} Benchmark`,
  isDefault,
});

export const BENCHMARKS: readonly Benchmark[] = [
  benchmark('4', 'Current', true),
  benchmark('8', 'ACS2025'),
  benchmark('2020', 'Census2020'),
];

const SURVEYS = ['ACS2021', 'ACS2022', 'ACS2023', 'ACS2024', 'ACS2025'];
const BOUNDARIES = {
  Public_AR_Current: ['Current', 'Census2020', 'Census2010', ...SURVEYS],
  Public_AR_ACS2025: ['Current', 'Census2020', 'Census2010', ...SURVEYS],
  Public_AR_Census2020: ['Census2020', 'Census2010'],
};

/** The vintages of a benchmark, the default first. `Census2020_Current` was also recorded with the 2020 benchmark. */
export function vintagesOf({ id, benchmarkName }: Benchmark): Vintage[] {
  const address = benchmarkName.slice('Public_AR_'.length);
  const boundaries = BOUNDARIES[benchmarkName as keyof typeof BOUNDARIES];
  const names = boundaries.map((boundary) => `${boundary}_${address}`);
  if (address === 'Census2020') names.push('Census2020_Current');
  return names.map((vintageName, at) => ({
    id: at === 0 ? id : id + vintageName.split('_')[0].slice(-2),
    vintageName,
    vintageDescription: `${vintageName.replace('_', ' Vintage - ')} Benchmark`,
    isDefault: at === 0,
  }));
}

/** @param value - a name or an id */
export const benchmarkOf = (value: string | null): Benchmark | undefined =>
  BENCHMARKS.find(({ id, benchmarkName }) => value === id || value === benchmarkName);

/** @param value - a name or an id */
export const vintageOf = (of: Benchmark, value: string | null): Vintage | undefined =>
  vintagesOf(of).find(({ id, vintageName }) => value === id || value === vintageName);
