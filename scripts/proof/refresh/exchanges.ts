import { type Pool } from 'pg';
import { OpsRequests } from '@donorlens/operations';
import { type Installation, until } from '../installation';
import { type ChangingFolder } from './birth-files';
import { type GiftFiles } from './gift-files';
import { Judge, cellsOf } from './judge';
import { type Read, agesByDay, askOne, reader } from './readers';

const EXCHANGE_MS = 180_000;

export interface Exchanged {
  readonly releases: number;
  readonly charts: number;
  readonly readers: number;
  readonly reads: readonly Read[];
  readonly seconds: number;
}

/** Exchanges what answers are made of, as a publisher and an operator do. */
export class Exchanges {
  private readonly judge = new Judge();
  private shown = 0;
  private donorsADay = 1;

  constructor(
    private readonly installation: Installation,
    private readonly pool: Pool,
    private readonly births: ChangingFolder,
    private readonly gifts: GiftFiles,
  ) {}

  /** What is answered from each edition while nothing is exchanged. */
  async learn(editions: number): Promise<void> {
    for (let edition = 0; edition < editions; edition++) {
      const release = await this.exchangeRelease();
      const [one, other] = await Promise.all(this.installation.apiUrls.map((api) => this.bulkOf(api, release)));
      if (one !== other) throw new Error(`two processes answer otherwise from ${release}`);
      this.judge.editions.set(release, { bulk: one, ages: agesByDay(one) });
    }
    const answers = new Set([...this.judge.editions.values()].map(({ bulk }) => bulk));
    if (answers.size !== editions) throw new Error('two editions have the same answers: nothing could be told apart');
    await this.exchangeCharts();
  }

  async under(readers: number, refreshes: number): Promise<Exchanged> {
    const { apiUrls } = this.installation;
    const before = await this.moves();
    let over = false;
    const reading = Array.from({ length: readers }, (_, nth) =>
      reader(apiUrls[nth % apiUrls.length], nth, this.judge, () => over),
    );
    const started = performance.now();
    try {
      for (let round = 1; round <= refreshes; round++) {
        await this.exchangeRelease();
        await this.exchangeCharts();
        if (round % 5 === 0) process.stderr.write(`${round} exchanges\n`);
      }
    } finally {
      over = true;
    }
    const reads = (await Promise.all(reading)).flat();
    const after = await this.moves();
    const seconds = (performance.now() - started) / 1000;
    const since = (name: string): number => (after.get(name) ?? 0) - (before.get(name) ?? 0);
    return { releases: since('data_release'), charts: since('charts'), readers, reads, seconds };
  }

  /** @returns the release's id */
  private async exchangeRelease(): Promise<string> {
    this.births.show(++this.shown);
    const { releaseId } = await this.asked<{ releaseId: string }>('reference-data');
    return releaseId;
  }

  /** More donors, by the edition that is active: until they are what is read. */
  private async exchangeCharts(): Promise<void> {
    await this.gifts.show(++this.donorsADay);
    await this.asked('fec');
    const [api] = this.installation.apiUrls;
    const release = (await askOne(api, 'age and gender, 220 names')).version;
    await until(
      `charts have ${this.donorsADay} donors a day of ${release} (logs: ${this.installation.home}/logs)`,
      async () => {
        const { status, body } = await askOne(api, 'age distribution');
        const ages = new Map(cellsOf(body).map(([, , age, donors]) => [age, Number(donors)]));
        return status === 200 && this.judge.stateOf(ages).aDay === this.donorsADay;
      },
      EXCHANGE_MS,
    );
  }

  private bulkOf(api: string, release: string): Promise<string> {
    const ask = async (): Promise<string | null> => {
      const { version, body } = await askOne(api, 'age and gender, 220 names');
      return version === release ? body : null;
    };
    return until(`${api} answers from ${release}`, ask, EXCHANGE_MS);
  }

  /** Asks the leader, and waits until it has done it. @returns what came of it */
  private async asked<Detail>(source: string): Promise<Detail> {
    const id = await new OpsRequests(this.pool).ask('refresh', { source }, 'proof');
    const ended = async (): Promise<{ state: string; detail: Detail } | null> => {
      const { rows } = await this.pool.query<{ state: string; detail: Detail }>(
        `select state, detail from ops_request where id = $1 and state in ('done', 'failed')`,
        [id],
      );
      return rows[0] ?? null;
    };
    const { state, detail } = await until(`${source} is refreshed`, ended, EXCHANGE_MS);
    if (state !== 'done') throw new Error(`${source} was not refreshed: ${JSON.stringify(detail)}`);
    return detail;
  }

  /** How often each pointer has moved. */
  private async moves(): Promise<ReadonlyMap<string, number>> {
    const { rows } = await this.pool.query<{ name: string; epoch: string }>('select name, epoch from pointer');
    return new Map(rows.map(({ name, epoch }) => [name, Number(epoch)]));
  }
}
