import { Installation } from '../installation';
import { someOf } from '../options';
import { chartsAreIn } from '../charts-are-in';
import { part, type Report } from '../report';
import { Bench, type Outcome, type Tally } from './bench';
import { csvTorture } from './csv';
import { formulas } from './formulas';
import { gzipBombs } from './gzip';
import { hostileJson } from './json';
import { pages } from './pages';
import { pathTricks } from './paths';
import { naughtyStrings } from './strings';

type Trial = (bench: Bench, installation: Installation) => Promise<Outcome>;

const TRIALS: Readonly<Record<string, Trial>> = {
  json: hostileJson,
  strings: naughtyStrings,
  csv: csvTorture,
  formulas,
  gzip: gzipBombs,
  paths: pathTricks,
  pages,
};

/** Of one that did not hold, at most so many are told. */
const TOLD = 20;

/** Texts, files and addresses that have broken other software: read and given back whole, or refused in words. */
export const torture = part({
  what: `hostile JSON, texts, files, gzip, paths and markup`,
  options: { only: someOf(Object.keys(TRIALS)) },
  async run({ only }) {
    const installation = await Installation.start({
      queue: 'redis',
      tuning: 'test',
      environment: { LOG_LEVEL: 'warn', WEBHOOK_ALLOWED_HOSTS: 'receiver.example' },
    });
    const bench = new Bench(installation.apiUrls[0]);
    try {
      await chartsAreIn(bench.url);
      const outcomes: Counted[] = [];
      for (const name of only) outcomes.push(await told(name, bench, installation));
      const deaths = installation.processes.reduce((sum, kept) => sum + kept.deaths, 0);
      return reportOf(outcomes, deaths);
    } finally {
      bench.close();
      await installation.stop();
    }
  },
});

type Counted = Outcome & Tally;

async function told(name: string, bench: Bench, installation: Installation): Promise<Counted> {
  const outcome = await TRIALS[name](bench, installation).catch((error: Error): Outcome => ({
    what: name,
    looked: 0,
    faults: [error.message],
  }));
  const tally = bench.takeTally();
  process.stderr.write(`${name}: ${tally.tried} tried, ${tally.failed} failed, ${outcome.faults.length} faults\n`);
  for (const fault of outcome.faults.slice(0, TOLD)) process.stderr.write(`  ${fault}\n`);
  return { ...outcome, ...tally };
}

const reportOf = (outcomes: readonly Counted[], deaths: number): Report => ({
  document: 'security',
  columns: ['what', 'tried', 'answered', 'refused', '5xx', 'looked at', 'did not hold'],
  rows: outcomes.map(({ what, tried, answered, refused, failed, looked, faults }) => [
    ...[what, tried, answered, refused, failed, looked],
    faults.length,
  ]),
  notes: [
    `Tried are requests, answered below 400 and refused with 4xx, by the status of each answer. Looked at is what came back: answers, or their values, their cells, their pages in Chromium. ${deaths} processes ended.`,
  ],
  passed: deaths === 0 && outcomes.every(({ faults, failed }) => faults.length === 0 && failed === 0),
});
