import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { whole } from '../../command/options';
import { until } from '../../../test/support/installation';
import { scenario, type Stage } from '../scenario';
import {
  CANDIDATES,
  ContributionEditions,
  CYCLE,
  DAYS,
  DONOR_NAME,
  ReferenceDataEditions,
  withoutSample,
} from '../../../test/support/reference-data/data-folders';
import { HEADERS } from '../support/batch-client';
import { requestAndWait } from '../support/operator';
import { quantile } from '../support/statistics';
import { cellsOf, RefreshJudge, type Verdict } from './refresh-judge';

const EDITIONS = 3;
const EXCHANGE_MS = 180_000;

const options = { refreshes: whole(50, 1), readers: whole(8, 1) };

interface Read {
  readonly request: RequestName;
  readonly ms: number;
  readonly verdict: Verdict | 'refused';
  readonly version: string;
}

interface Result {
  readonly releases: number;
  readonly charts: number;
  readonly reads: readonly Read[];
}

export const refresh = scenario<typeof options, Result>({
  promise: 'While data releases and charts are exchanged, every answer comes whole from one version',
  options,
  setUp: async () => {
    const home = mkdtempSync(join(tmpdir(), 'donorlens-refresh-'));
    const path = join(home, 'data');
    await ContributionEditions.create(path);
    await ReferenceDataEditions.create(path, EDITIONS);
    return {
      processes: { api: 2, worker: 1, aggregator: 1 },
      queue: 'postgres',
      databaseUrl: withoutSample,
      environment: { DATA_SOURCE: path, REFERENCE_REFRESH: 'off' },
      dispose: () => rmSync(dirname(path), { recursive: true, force: true }),
    };
  },
  execute: async (stage, { refreshes, readers }) => {
    const { apiUrls, environment } = stage.installation;
    const contributions = await ContributionEditions.create(environment.DATA_SOURCE);
    const references = await ReferenceDataEditions.create(environment.DATA_SOURCE, EDITIONS);
    const exchange = new Exchange(stage, references, contributions);
    await exchange.learn();
    const before = await exchange.versions();
    let isOver = false;
    const reading = Array.from({ length: readers }, (_, nth) =>
      readUntil(apiUrls[nth % apiUrls.length], nth, exchange.judge, () => isOver),
    );
    try {
      for (let round = 1; round <= refreshes; round++) {
        await exchange.release();
        await exchange.charts();
        if (round % 5 === 0) stage.say(`${round} exchanges`);
      }
    } finally {
      isOver = true;
    }
    const reads = (await Promise.all(reading)).flat();
    const after = await exchange.versions();
    const since = (name: string): number => (after.get(name) ?? 0) - (before.get(name) ?? 0);
    return { releases: since('data_release'), charts: since('charts'), reads };
  },
  rows: ([{ reads }]) => ({
    columns: ['request', 'answers', 'versions seen', 'short', 'mixed', 'not 200', 'median', 'p99', 'slowest'],
    rows: REQUESTS.map((request) => {
      const of = reads.filter((read) => read.request === request);
      const count = (verdict: Read['verdict']): number => of.filter((read) => read.verdict === verdict).length;
      const times = of.map(({ ms }) => ms);
      return [
        ...[request, of.length, new Set(of.map(({ version }) => version)).size],
        ...[count('short'), count('mixed'), count('refused')],
        ...[0.5, 0.99, 1].map((share) => `${quantile(times, share).toFixed(1)} ms`),
      ];
    }),
  }),
  checks: {
    'every exchange is published': ({ releases, charts, refreshes }) => Math.min(releases, charts) >= refreshes,
    'every answer is whole and of one version': ({ reads }) =>
      reads.length > 0 && reads.every(({ verdict }) => verdict === 'whole'),
  },
  notes: ([{ releases, charts, readers, seconds }]) => [
    `${releases} releases were activated and ${charts} versions of the charts published within ${Math.round(seconds)} s, ` +
      `while ${readers} readers sent one request after the other to two processes. The releases are ${EDITIONS} editions in rotation.`,
  ],
});

const REQUESTS = ['age and gender, 220 names', 'cumulative donors', 'age distribution'] as const;
type RequestName = (typeof REQUESTS)[number];

const NAMES = [DONOR_NAME, ...'Linda James Ashley Ethan Robert Susan Deborah Betty Karen Sharon'.split(' ')];
const BULK = JSON.stringify({ queries: NAMES.flatMap((name) => DAYS.map((date) => ({ name, date }))) });
const ids = (name: string, values: readonly string[]): string => values.map((id) => `${name}=${id}`).join('&');
const CHARTS: Partial<Record<RequestName, string>> = {
  'cumulative donors': `cumulative_donors/candidate?${ids('candidate_id', Object.keys(CANDIDATES))}&cycle=${CYCLE}`,
  'age distribution': `age_distribution/committee?${ids('committee_id', Object.values(CANDIDATES))}&cycle=${CYCLE}`,
};

async function send(api: string, request: RequestName): Promise<{ status: number; version: string; body: string }> {
  const chart = CHARTS[request];
  const post = { method: 'POST', headers: { ...HEADERS, 'content-type': 'application/json' }, body: BULK };
  const response = chart
    ? await fetch(`${api}/data-charts/v1/${chart}`, { headers: { ...HEADERS, accept: 'text/csv' } })
    : await fetch(`${api}/enrich/v1/age_gender`, post);
  const version = response.headers.get('data-version') ?? '';
  return { status: response.status, version, body: await response.text() };
}

async function readUntil(api: string, nth: number, judge: RefreshJudge, isOver: () => boolean): Promise<Read[]> {
  const reads: Read[] = [];
  for (let at = nth; !isOver(); at++) {
    const request = REQUESTS[at % REQUESTS.length];
    const start = performance.now();
    const { status, version, body } = await send(api, request);
    const ms = performance.now() - start;
    const judged = (): Verdict => {
      if (request === 'cumulative donors') return judge.cumulative(version, body);
      return request === 'age distribution' ? judge.ages(version, body) : judge.bulk(version, body);
    };
    reads.push({ request, ms, version, verdict: status === 200 ? judged() : 'refused' });
  }
  return reads;
}

/** Publishes new data and has the leader load it. */
class Exchange {
  readonly judge = new RefreshJudge();
  private edition = 0;
  private donorsPerDay = 1;

  constructor(
    private readonly stage: Stage,
    private readonly references: ReferenceDataEditions,
    private readonly contributions: ContributionEditions,
  ) {}

  /** Records the answers of each edition while no refresh runs. */
  async learn(): Promise<void> {
    await this.contributions.publish(1);
    for (let edition = 0; edition < EDITIONS; edition++) {
      const release = await this.release();
      const [one, other] = await Promise.all(this.stage.installation.apiUrls.map((api) => this.bulkOf(api, release)));
      if (one !== other) throw new Error(`two processes give different answers from ${release}`);
      const { results } = JSON.parse(one) as { results: { age: number | null }[] };
      this.judge.editions.set(release, { bulk: one, ages: results.slice(0, DAYS.length).map(({ age }) => age) });
    }
    const answers = new Set([...this.judge.editions.values()].map(({ bulk }) => bulk));
    if (answers.size !== EDITIONS) throw new Error('two editions have the same answers');
    await this.charts();
  }

  /** @returns the release's id */
  async release(): Promise<string> {
    this.references.publish(++this.edition);
    return (await this.refreshed<{ releaseId: string }>('reference-data')).releaseId;
  }

  /** Adds donors, and waits until charts of the active release show them. */
  async charts(): Promise<void> {
    await this.contributions.publish(++this.donorsPerDay);
    await this.refreshed('fec');
    const [api] = this.stage.installation.apiUrls;
    const isShown = async (): Promise<boolean> => {
      const { status, body } = await send(api, 'age distribution');
      const ages = new Map(cellsOf(body).map(([, , age, donors]) => [age, Number(donors)]));
      return status === 200 && this.judge.stateOf(ages).donorsPerDay === this.donorsPerDay;
    };
    await until(`charts have ${this.donorsPerDay} donors a day`, isShown, EXCHANGE_MS);
  }

  /** Number of changes of each version pointer. */
  async versions(): Promise<ReadonlyMap<string, number>> {
    const { rows } = await this.stage.pool.query<{ name: string; epoch: string }>('select name, epoch from pointer');
    return new Map(rows.map(({ name, epoch }) => [name, Number(epoch)]));
  }

  private bulkOf(api: string, release: string): Promise<string> {
    const find = async (): Promise<string | null> => {
      const { version, body } = await send(api, 'age and gender, 220 names');
      return version === release ? body : null;
    };
    return until(`${api} answers from ${release}`, find, EXCHANGE_MS);
  }

  private async refreshed<Detail>(source: 'reference-data' | 'fec'): Promise<Detail> {
    const { state, detail } = await requestAndWait<Detail>(this.stage.pool, 'refresh', { source });
    if (state !== 'done') throw new Error(`${source} was not refreshed: ${JSON.stringify(detail)}`);
    return detail;
  }
}
