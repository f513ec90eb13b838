import { writeFileSync } from 'node:fs';
import { someOf, text } from '../command/options';
import { command, type Report } from '../command/report';
import { type Group, type Mutant, mutantsOf } from './stryker';

/** Sources below a folder, with their own specs and others that test them. */
const groupOf = (folder: string, sources: readonly string[], otherSpecs: readonly string[] = []): Group => ({
  mutate: sources.map((name) => `${folder}/${name}.ts`),
  specs: [...sources, ...otherSpecs].map((name) => `${folder}/${name}.spec.ts`),
});

/** Pure functions that determine figures and states, except `group-ages`: its specs resample, minutes per mutant. */
const GROUPS: Readonly<Record<string, Group>> = {
  names: groupOf(
    'libs/demographics/src/names',
    ['contributor-name', 'donor-name', 'first-name-key', 'name-parts'],
    ['filed-name', 'latin-letters', 'plain-name'],
  ),
  ages: groupOf(
    'libs/demographics/src/ages',
    ['adult-ages', 'age-basis', 'age-estimator', 'birth-table', 'living-ages'],
    ['date-weight-cache'],
  ),
  survival: groupOf(
    'libs/demographics/src/ages',
    ['cohort-survival', 'date-weights', 'year-weights'],
    ['date-weight-cache'],
  ),
  steps: groupOf('libs/demographics/src/ages', ['median-bounds', 'step-table', 'step-table-builder']),
  ethnicity: groupOf(
    'libs/demographics/src',
    ['surname-table', 'place-ethnicity', 'area-table', 'names/surname-key', 'names/key-index', 'demographic-lookups'],
    ['names/find-surname'],
  ),
  counting: groupOf(
    'libs',
    ['campaign-finance/src/counting', 'campaign-finance/src/donor-key', 'tabular/src/fec/field-values'],
    ['tabular/src/fec/cents', 'tabular/src/fec/received-on'],
  ),
  batches: groupOf('libs/batches/src', ['batch-state', 'progress']),
  csv: groupOf(
    'libs',
    ['tabular/src/csv-text', 'batches/src/results/csv-results'],
    ['tabular/src/split-fields', 'batches/src/intake/input-readers'],
  ),
};

const MIN_SCORE = 0.85; // minimum of each group

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
  },
  async run({ only, details }) {
    const results: GroupResult[] = [];
    for (const name of only) {
      const started = performance.now();
      const mutants = await mutantsOf(GROUPS[name]);
      results.push({ name, mutants, seconds: Math.round((performance.now() - started) / 1000) });
      const all = results.flatMap((one) => one.mutants);
      if (details) writeFileSync(details, JSON.stringify(all, null, 1));
      process.stderr.write(`${name}: ${mutants.length} mutants\n`);
    }
    return reportOf(results);
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

function reportOf(results: readonly GroupResult[]): Report {
  const mutants = results.flatMap((one) => one.mutants);
  const seconds = results.reduce((sum, one) => sum + one.seconds, 0);
  return {
    columns: ['code', 'mutants', 'killed', 'timed out', 'invalid', 'survived', 'not covered', 'score', 'seconds'],
    rows: [...results, { name: 'all', mutants, seconds }].map(rowOf),
    notes: ['`--details FILE` writes all mutants with their status.'],
    passed: results.every((one) => scoreOf(one.mutants) >= MIN_SCORE),
  };
}
