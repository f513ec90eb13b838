import { Installation } from '../installation';
import { someOf } from '../options';
import { part, type Report } from '../report';
import { Bench, type Outcome } from './bench';
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
      const outcomes: Outcome[] = [];
      for (const name of only) outcomes.push(await told(name, TRIALS[name](bench, installation)));
      const deaths = installation.processes.reduce((sum, kept) => sum + kept.deaths, 0);
      return reportOf(outcomes, deaths);
    } finally {
      bench.close();
      await installation.stop();
    }
  },
});

async function told(name: string, trial: Promise<Outcome>): Promise<Outcome> {
  const outcome = await trial.catch((error: Error): Outcome => ({
    what: name,
    tried: 0,
    refused: 0,
    faults: [error.message],
  }));
  process.stderr.write(`${name}: ${outcome.tried} tried, ${outcome.faults.length} faults\n`);
  for (const fault of outcome.faults.slice(0, TOLD)) process.stderr.write(`  ${fault}\n`);
  return outcome;
}

const reportOf = (outcomes: readonly Outcome[], deaths: number): Report => ({
  document: 'security',
  columns: ['what', 'tried', 'refused', 'did not hold'],
  rows: outcomes.map(({ what, tried, refused, faults }) => [what, tried, refused, faults.length]),
  notes: [`${deaths} processes ended.`],
  passed: deaths === 0 && outcomes.every(({ faults }) => faults.length === 0),
});
