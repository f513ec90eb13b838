import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Pool } from 'pg';
import { noteSampleWhole } from '@donorlens/imports';
import { Installation, ROOT } from '../installation';
import { whole } from '../options';
import { part, type Report } from '../report';
import { ChangingFolder } from './birth-files';
import { type Exchanged, Exchanges } from './exchanges';
import { GiftFiles } from './gift-files';
import { QUESTIONS, type Question } from './readers';

const EDITIONS = 3;

/** Reference data and charts are exchanged again and again while they are read. */
export const refresh = part({
  what: 'exchanges of data releases and charts under readers',
  options: { refreshes: whole(50, 1), readers: whole(8, 1) },
  async run({ refreshes, readers }) {
    return reportOf(await run(refreshes, readers), refreshes);
  },
});

async function run(refreshes: number, readers: number): Promise<Exchanged> {
  const home = mkdtempSync(join(tmpdir(), 'donorlens-refresh-'));
  const data = join(home, 'data');
  const gifts = await GiftFiles.in(data);
  const births = await ChangingFolder.at(data, EDITIONS);
  await gifts.show(1);
  const installation = await Installation.start({
    processes: { api: 2, worker: 1, aggregator: 1 },
    queue: 'postgres',
    databaseUrl: withoutSample,
    environment: { DATA_SOURCE: data, REFERENCE_REFRESH: 'off' },
  });
  const pool = new Pool({ connectionString: installation.postgres.url, max: 2 });
  try {
    const exchanges = new Exchanges(installation, pool, births, gifts);
    await exchanges.learn(EDITIONS);
    return await exchanges.under(readers, refreshes);
  } finally {
    await pool.end();
    await installation.stop();
    rmSync(home, { recursive: true });
  }
}

/** The made-up campaign of a new installation is told to be there: it would only take time. */
async function withoutSample(url: string): Promise<string> {
  const environment = { PATH: process.env.PATH, DATABASE_URL: url, QUEUE_BACKEND: 'postgres' };
  await promisify(execFile)(process.execPath, [join(ROOT, 'dist/apps/cli/src/main.js'), 'migrate'], {
    env: environment,
  });
  const pool = new Pool({ connectionString: url, max: 1 });
  await noteSampleWhole(pool);
  await pool.end();
  return url;
}

function reportOf({ releases, charts, readers, reads, seconds }: Exchanged, refreshes: number): Report {
  const of = (question: Question) => reads.filter((read) => read.question === question);
  const verdicts = (question: Question, verdict: string) => of(question).filter((r) => r.verdict === verdict).length;
  const ms = (question: Question, share: number): string => {
    const sorted = of(question)
      .map((read) => read.ms)
      .sort((a, b) => a - b);
    return `${(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? NaN).toFixed(1)} ms`;
  };
  return {
    document: 'reliability',
    columns: ['asked', 'answers', 'versions met', 'short', 'mixed', 'not 200', 'median', 'p99', 'slowest'],
    rows: QUESTIONS.map((question) => [
      question,
      of(question).length,
      new Set(of(question).map(({ version }) => version)).size,
      verdicts(question, 'short'),
      verdicts(question, 'mixed'),
      verdicts(question, 'refused'),
      ms(question, 0.5),
      ms(question, 0.99),
      ms(question, 1),
    ]),
    notes: [
      `${releases} releases were activated and ${charts} versions of the charts published within ${Math.round(seconds)} s, ` +
        `while ${readers} readers asked two processes one question after the other. The releases are ${EDITIONS} editions in turn.`,
    ],
    passed:
      Math.min(releases, charts) >= refreshes && reads.length > 0 && reads.every(({ verdict }) => verdict === 'whole'),
  };
}
