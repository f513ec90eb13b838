import type { Installation } from '../../support/installation';
import { type Report } from '../../../scripts/command/report';
import { type TrialService, type Outcome, type TrialCounts } from './trial';
import { hostileCsv } from './csv';
import { formulas } from './formulas';
import { gzipBombs } from './gzip';
import { hostileJson } from './json';
import { pages } from './pages';
import { pathTricks } from './paths';
import { hostileStrings } from './strings';

type Trial = (bench: TrialService, installation: Installation) => Promise<Outcome>;

export const TRIALS: Readonly<Record<string, Trial>> = {
  json: hostileJson,
  strings: hostileStrings,
  csv: hostileCsv,
  formulas,
  gzip: gzipBombs,
  paths: pathTricks,
  pages,
};

export type Counted = Outcome & TrialCounts;

/** Runs a trial. @returns its outcome, with its answers by status */
export async function runTrial(name: string, bench: TrialService, installation: Installation): Promise<Counted> {
  const outcome = await TRIALS[name](bench, installation).catch((error: Error): Outcome => ({
    what: name,
    looked: 0,
    faults: [error.message],
  }));
  const counts = bench.takeCounts();
  return { ...outcome, ...counts };
}

export const reportOf = (outcomes: readonly Counted[], deaths: number): Report => ({
  columns: ['what', 'tried', 'answered', 'refused', '5xx', 'checked', 'faults'],
  rows: outcomes.map(({ what, tried, answered, refused, failed, looked, faults }) => [
    ...[what, tried, answered, refused, failed, looked],
    faults.length,
  ]),
  notes: [
    `Tried: requests, of them answered with a status below 400 and refused with 4xx. Checked: answers, or their values, cells or pages in Chromium. ${deaths} processes ended.`,
  ],
  passed: deaths === 0 && outcomes.every(({ faults, failed }) => faults.length === 0 && failed === 0),
});
