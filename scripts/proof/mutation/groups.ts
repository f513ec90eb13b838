/** Sources, and the specs whose task it is to hold them: no others are run. Both in globs from the root. */
export interface Group {
  readonly mutate: readonly string[];
  readonly specs: readonly string[];
}

const DEMOGRAPHICS = 'libs/demographics/src';
const FINANCE = 'libs/campaign-finance/src';
const BATCHES = 'libs/batches/src';

const NAME_SPECS = [
  'contributor-name',
  'donor-name',
  'first-name-key',
  'latin-letters',
  'name-parts',
  'plain-name',
  'surname-key',
];
const names = (folder: string, of: readonly string[], end: string): string[] =>
  of.map((name) => `${folder}/${name}${end}`);

/** What decides figures and guards states: functions from values to values. */
export const GROUPS: Readonly<Record<string, Group>> = {
  names: {
    mutate: names(DEMOGRAPHICS, [...NAME_SPECS, 'name-words'], '.ts'),
    specs: names(DEMOGRAPHICS, NAME_SPECS, '.spec.ts'),
  },
  ages: {
    mutate: names(
      DEMOGRAPHICS,
      ['age-distribution', 'age-estimator', 'date-weight-cache', 'gender', 'living-ages', 'sex'],
      '.ts',
    ),
    specs: names(DEMOGRAPHICS, ['age-estimator', 'date-weight-cache'], '.spec.ts'),
  },
  survival: {
    mutate: names(DEMOGRAPHICS, ['cohort-survival', 'date-weights', 'year-weights'], '.ts'),
    specs: names(DEMOGRAPHICS, ['cohort-survival', 'date-weights'], '.spec.ts'),
  },
  steps: {
    mutate: names(DEMOGRAPHICS, ['median-bounds', 'step-table', 'step-table-builder'], '.ts'),
    specs: names(DEMOGRAPHICS, ['median-bounds', 'step-table'], '.spec.ts'),
  },
  ethnicity: {
    mutate: names(DEMOGRAPHICS, ['ethnicity', 'surname-table', 'find-surname', 'key-index', 'demographics'], '.ts'),
    specs: names(DEMOGRAPHICS, ['ethnicity', 'surname-table', 'find-surname', 'key-index', 'demographics'], '.spec.ts'),
  },
  counting: {
    mutate: names(FINANCE, ['counting', 'donor-key', 'cents', 'received-on'], '.ts'),
    specs: names(FINANCE, ['counting', 'donor-key', 'cents', 'received-on'], '.spec.ts'),
  },
  batches: {
    mutate: names(BATCHES, ['batch-state', 'progress'], '.ts'),
    specs: names(BATCHES, ['batch-state', 'progress'], '.spec.ts'),
  },
  csv: {
    mutate: [
      'libs/primitives/src/csv-text.ts',
      ...names(BATCHES, ['results/csv-results', 'intake/split-fields'], '.ts'),
    ],
    specs: [
      'libs/primitives/src/csv-text.spec.ts',
      ...names(BATCHES, ['results/csv-results', 'intake/reader-of', 'intake/split-fields'], '.spec.ts'),
    ],
  },
};
