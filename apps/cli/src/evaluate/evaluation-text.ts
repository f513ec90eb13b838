import { type AgeEvaluation, type ClassScores, type Evaluation } from '@donorlens/evaluation';
import { grouped } from '@donorlens/primitives';
import { table } from '../program-context';

/** Result of `donorlens evaluate`. */
type Result = Evaluation & { readonly data_release: string };

/** A table with its title. */
interface Section {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const years = (value: number): string => value.toFixed(1);
const percent = (share: number | null): string => (share === null ? '' : `${(100 * share).toFixed(1)}%`);

function sectionsOf({ ages, gender, ethnicity }: Evaluation): Section[] {
  return [
    ...(ages ? [ageSection(ages)] : []),
    ...(gender ?? []).flatMap((scores) => classSections(`Gender by ${scores.basis}`, scores)),
    ...(ethnicity ?? []).flatMap((scores) => classSections(`Ethnicity by ${scores.basis}`, scores)),
  ];
}

const ageSection = ({ bases }: AgeEvaluation): Section => ({
  title: 'Ages, in years',
  head: ['basis', 'rows', 'groups', 'error of group median', 'bias', 'mean absolute error', 'inside the quartiles'],
  rows: bases.map((one) => [
    one.basis,
    grouped(one.rows),
    grouped(one.groups),
    ...[one.group_median_error, one.bias, one.mean_absolute_error].map(years),
    percent(one.coverage),
  ]),
});

const classSections = (name: string, scores: ClassScores): Section[] => [
  {
    title: name,
    head: ['rows', 'accuracy', 'log loss', 'Brier score'],
    rows: [[grouped(scores.rows), percent(scores.accuracy), scores.log_loss.toFixed(3), scores.brier.toFixed(3)]],
  },
  {
    title: `${name}: classes`,
    head: ['class', 'rows', 'recall', 'precision'],
    rows: scores.classes.map(({ value, rows, recall, precision }) => [
      value,
      grouped(rows),
      percent(recall),
      percent(precision),
    ]),
  },
  {
    title: `${name}: calibration`,
    head: ['probability', 'rows', 'mean probability', 'true'],
    rows: scores.calibration
      .filter(({ rows }) => rows > 0)
      .map(({ from, to, rows, predicted, observed }) => [
        `${from.toFixed(1)} to ${to.toFixed(1)}`,
        grouped(rows),
        percent(predicted),
        percent(observed),
      ]),
  },
];

const BAR_WIDTH = 14;
const bar = (share: number, whole: number): string => '█'.repeat(Math.round((BAR_WIDTH * share) / whole));

/** Bar chart of the share of people per age band: the true ages, and the estimates of each basis. */
function ageChart({ bases, distribution }: AgeEvaluation): string {
  const series = ['truth' as const, ...bases.map(({ basis }) => basis)];
  const whole = Math.max(...distribution.flatMap((band) => series.map((one) => band[one])));
  const rows = distribution.map((band) => [
    `${band.from} to ${band.to}`,
    ...series.map((one) => `${percent(band[one]).padStart(5)} ${bar(band[one], whole)}`),
  ]);
  return `Share of people by age\n${table(['age', ...series], rows)}`;
}

const PLACE_UNMEASURED = {
  no_geography: 'the data release lacks the ACS file b03002',
  no_places: 'no row has a place of the data release (columns zip, fips, geoid)',
} as const;

/** Notes on how bases were measured whose reference is not in the file, or why they were not measured. */
function notesOf({ ages, ethnicity, place_unmeasured: unmeasured }: Evaluation): string[] {
  const areas = ethnicity?.flatMap((one) => Object.entries(one.areas ?? {}));
  return [
    ...(ages
      ? [
          'Basis donors: the people of the file stand for the stored donors of their cycle; the ages of each half are estimated from the other half.',
        ]
      : []),
    ...(areas?.length ? [`Basis place: rows by ${areas.map(([area, n]) => `${area} ${grouped(n)}`).join(', ')}.`] : []),
    ...(unmeasured === null ? [] : [`Basis place is not measured: ${PLACE_UNMEASURED[unmeasured]}.`]),
  ];
}

/** Tables and a chart for a terminal. */
export function evaluationText(result: Result): string {
  const known = `${grouped(result.first_names_known)} with a known first name, ${grouped(result.surnames_known)} with a known surname`;
  return [
    `${grouped(result.rows)} rows, ${known}, ${grouped(result.invalid_rows)} invalid; data release ${result.data_release}`,
    ...sectionsOf(result).map(({ title, head, rows }) => `${title}\n${table(head, rows)}`),
    ...(result.ages ? [ageChart(result.ages)] : []),
    ...notesOf(result),
  ].join('\n\n');
}

/** The same tables as Markdown. */
export function evaluationMarkdown(result: Evaluation): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return sectionsOf(result)
    .map(({ title, head, rows }) =>
      [`**${title}**`, '', line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n'),
    )
    .join('\n\n');
}
