import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ContributionsRepository, MastersRepository } from '@donorlens/campaign-finance';
import { ChartRepository, refreshCharts } from '@donorlens/charts';
import { readConfig } from '@donorlens/config';
import { SourceFileRepository } from '@donorlens/downloads';
import { writeSampleFiles } from '@donorlens/fec-sample';
import { ImportLease } from '@donorlens/imports';
import { createLogger } from '@donorlens/observability';
import { type FecOffice } from '@donorlens/primitives';
import { ReleaseRepository } from '@donorlens/reference-data';
import { type TestDatabase, testDatabase } from '../../../test/support/servers';
import { ImportWorkers } from '../../../test/support/pipeline/import-workers';
import { activateSample } from '../../../test/support/reference-data/sample-tables';
import { CampaignData } from './campaign-data';

const CYCLE = 2024;
const ORCHARD = 'H0ZZ01001';
const LAKEMONT = 'S0ZZ00002';

/** The sample has a candidate for the House and one for the Senate, each with a committee. */
describe('imports of other federal offices', () => {
  const logger = createLogger('aggregator', 'silent');
  let db: TestDatabase;
  let home: string;
  let lease: ImportLease;
  let workers: ImportWorkers;
  beforeAll(async () => {
    db = await testDatabase();
    workers = await ImportWorkers.on(db.pool, await activateSample(db.pool));
    home = mkdtempSync(join(tmpdir(), 'donorlens-offices-'));
    lease = await ImportLease.take(db.pool, logger);
    await writeSampleFiles(home, { rows: 2_000 });
    workers.start();
  });
  afterAll(async () => {
    await workers.stop();
    await lease.release();
    await db.close();
    rmSync(home, { recursive: true });
  });

  async function load(offices: string): Promise<void> {
    const environment = { DONORLENS_HOME: home, DATABASE_URL: db.url, DATA_SOURCE: home, FEC_OFFICES: offices };
    const [files, releases] = [new SourceFileRepository(db.pool), new ReleaseRepository(db.pool)];
    const data = new CampaignData(files, releases, db.pool, readConfig(environment), logger);
    const work = { lease, signal: new AbortController().signal };
    await data.importBulk(work, [CYCLE]);
    await data.bringUpToDate(work);
  }

  /** The data from which the endpoints write their files. */
  async function answers(offices?: readonly FecOffice[]) {
    const charts = new ChartRepository(db.pool);
    const masters = new MastersRepository(db.pool);
    const version = (await charts.current())!;
    const search = { nameParts: [], cycles: [], offices };
    const file = await new ContributionsRepository(db.pool).open({
      ...{ candidateIds: [], committeeIds: [], cycles: [CYCLE], offices, from: null, to: null, after: null },
      limit: null,
    });
    const pieces: Buffer[] = [];
    for await (const piece of file.pieces({ raw: true, detail: false, countyOf: () => null, zipCountyOf: () => null }))
      pieces.push(Buffer.from(piece));
    return {
      ages: [...(await charts.ageDistribution(version, { offices }))],
      series: [...(await charts.cumulativeDonors(version, { offices }))],
      breakdown: [...(await charts.breakdown(version, { offices }))],
      candidates: await masters.candidateSearch(search),
      committees: await masters.committeeSearch(search),
      contributions: Buffer.concat(pieces).toString(),
    };
  }

  const others = async () => {
    const { ages, series, candidates, contributions } = await answers(['S', 'H']);
    return {
      candidates: candidates.map(({ CAND_ID }) => CAND_ID),
      committees: [...new Set(ages.map(({ committeeId }) => committeeId))],
      series: [...new Set(series.map(({ candidateId }) => candidateId))],
      rows: contributions.split('\n').length > 2,
    };
  };
  const WITH_OTHERS = {
    candidates: [ORCHARD, LAKEMONT],
    committees: ['C99900011', 'C99900013'],
    series: [ORCHARD, LAKEMONT],
    rows: true,
  };

  it('change no presidential data, and their data stays when FEC_OFFICES is reduced', async () => {
    await load('P');
    const alone = await answers();
    expect(alone.ages.length).toBeGreaterThan(50);
    expect(await others()).toEqual({ candidates: [], committees: [], series: [], rows: false });

    await load('P,S,H');
    expect(await answers()).toEqual(alone);
    expect(await answers(['P'])).toEqual(alone);
    expect(await others()).toEqual(WITH_OTHERS);

    await load('P');
    expect(await answers()).toEqual(alone);
    expect(await others()).toEqual(WITH_OTHERS);
  });

  it('have the income of their ZIP in the breakdown once a release with ZIPs is active', async () => {
    const byIncome = async () => (await answers()).breakdown.filter(({ by }) => by === 'income');
    const withZips = await byIncome();
    const stored = await db.pool.query<{ n: number }>(
      'select count(*)::int as n from contribution where zip_income is not null',
    );
    expect(stored.rows[0].n).toBeGreaterThan(0);
    expect(withZips.some(({ value }) => value !== null)).toBe(true);

    await db.pool.query('insert into donor_touched select distinct committee_id, cycle, donor_key from contribution');
    await db.pool.query(`update contribution set zip_income = null`);
    await refreshCharts(db.pool);
    expect((await byIncome()).filter(({ value }) => value !== null)).toEqual([]);

    await db.pool.query(`update enrichment_release set release_id = 'a release without ZIPs'`);
    await load('P');
    expect(await byIncome()).toEqual(withZips);
  });
});
