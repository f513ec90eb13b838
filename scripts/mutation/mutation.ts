import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { someOf, text } from '../command/options';
import { command, type Report } from '../command/report';
import { type Group, type Mutant, mutantsOf } from './stryker';

const DEMOGRAPHICS = 'libs/demographics/src';
const FINANCE = 'libs/campaign-finance/src';
const BATCHES = 'libs/batches/src';
const TABULAR = 'libs/tabular/src';

const names = (folder: string, of: readonly string[], end: string): string[] =>
  of.map((name) => `${folder}/${name}${end}`);

/** Pure functions that decide figures and states. */
export const GROUPS: Readonly<Record<string, Group>> = {
  names: {
    mutate: names(
      DEMOGRAPHICS,
      ['names/contributor-name', 'names/donor-name', 'names/first-name-key', 'names/name-parts'],
      '.ts',
    ),
    specs: names(
      DEMOGRAPHICS,
      [
        'names/contributor-name',
        'names/donor-name',
        'names/first-name-key',
        'names/latin-letters',
        'names/name-parts',
        'names/plain-name',
      ],
      '.spec.ts',
    ),
  },
  ages: {
    mutate: names(
      DEMOGRAPHICS,
      ['ages/adult-ages', 'ages/age-estimator', 'ages/birth-table', 'ages/living-ages'],
      '.ts',
    ),
    specs: names(DEMOGRAPHICS, ['ages/adult-ages', 'ages/age-estimator', 'ages/date-weight-cache'], '.spec.ts'),
  },
  survival: {
    mutate: names(DEMOGRAPHICS, ['ages/cohort-survival', 'ages/date-weights', 'ages/year-weights'], '.ts'),
    specs: names(DEMOGRAPHICS, ['ages/cohort-survival', 'ages/date-weights', 'ages/date-weight-cache'], '.spec.ts'),
  },
  steps: {
    mutate: names(DEMOGRAPHICS, ['ages/median-bounds', 'ages/step-table', 'ages/step-table-builder'], '.ts'),
    specs: names(DEMOGRAPHICS, ['ages/median-bounds', 'ages/step-table'], '.spec.ts'),
  },
  ethnicity: {
    mutate: names(
      DEMOGRAPHICS,
      ['ethnicity', 'surname-table', 'names/surname-key', 'names/key-index', 'demographics', 'demographic-lookups'],
      '.ts',
    ),
    specs: names(
      DEMOGRAPHICS,
      [
        'ethnicity',
        'surname-table',
        'names/surname-key',
        'names/find-surname',
        'names/key-index',
        'demographics',
        'demographic-lookups',
      ],
      '.spec.ts',
    ),
  },
  counting: {
    mutate: [...names(FINANCE, ['counting', 'donor-key'], '.ts'), ...names(TABULAR, ['fec/field-values'], '.ts')],
    specs: [
      ...names(FINANCE, ['counting', 'donor-key'], '.spec.ts'),
      ...names(TABULAR, ['fec/cents', 'fec/received-on'], '.spec.ts'),
    ],
  },
  batches: {
    mutate: names(BATCHES, ['batch-state', 'progress'], '.ts'),
    specs: names(BATCHES, ['batch-state', 'progress'], '.spec.ts'),
  },
  csv: {
    mutate: [...names(TABULAR, ['csv-text'], '.ts'), ...names(BATCHES, ['results/csv-results'], '.ts')],
    specs: [
      ...names(TABULAR, ['csv-text', 'split-fields'], '.spec.ts'),
      ...names(BATCHES, ['results/csv-results', 'intake/reader-of'], '.spec.ts'),
    ],
  },
};

/** Of each group. */
const MIN_SCORE = 0.85;

interface GroupResult {
  readonly name: string;
  readonly mutants: readonly Mutant[];
  readonly seconds: number;
}

export const mutation = command({
  what: 'Tests notice at least 85 % of all changes to the code that decides figures and states (Stryker)',
  options: {
    only: someOf(Object.keys(GROUPS)),
    details: text('FILE', undefined),
    incremental: text('FOLDER', undefined),
  },
  async run({ only, details, incremental }) {
    const results: GroupResult[] = [];
    for (const name of only) {
      const started = performance.now();
      const mutants = await mutantsOf(GROUPS[name], incremental && resolve(incremental, `${name}.json`));
      results.push({ name, mutants, seconds: Math.round((performance.now() - started) / 1000) });
      const all = results.flatMap((one) => one.mutants);
      if (details) writeFileSync(details, JSON.stringify(all, null, 1));
      process.stderr.write(`${name}: ${mutants.length} mutants\n`);
    }
    return reportOf(results, incremental !== undefined);
  },
});

const count = (mutants: readonly Mutant[], ...statuses: string[]): number =>
  mutants.filter(({ status }) => statuses.includes(status)).length;

function scoreOf(mutants: readonly Mutant[]): number {
  const detected = count(mutants, 'Killed', 'Timeout');
  return detected / (detected + count(mutants, 'Survived', 'NoCoverage'));
}

const rowOf = ({ name, mutants, seconds }: GroupResult): (string | number)[] => [
  ...[name, mutants.length, count(mutants, 'Killed'), count(mutants, 'Timeout')],
  ...[count(mutants, 'RuntimeError', 'CompileError'), count(mutants, 'Survived'), count(mutants, 'NoCoverage')],
  ...[`${(100 * scoreOf(mutants)).toFixed(1)} %`, seconds],
];

function reportOf(results: readonly GroupResult[], isIncremental: boolean): Report {
  const mutants = results.flatMap((one) => one.mutants);
  const seconds = results.reduce((sum, one) => sum + one.seconds, 0);
  return {
    columns: ['code', 'mutants', 'killed', 'timed out', 'invalid', 'survived', 'not covered', 'score', 'seconds'],
    rows: [...results, { name: 'all', mutants, seconds }].map(rowOf),
    notes: [
      ...(isIncremental ? ['Mutants of unchanged code and specs are those of an earlier run.'] : []),
      '`--details FILE` lists the mutants that survived.',
    ],
    passed: results.every((one) => scoreOf(one.mutants) >= MIN_SCORE),
  };
}
