import { Pool } from 'pg';
import { type TestDatabase, testDatabase } from '../../../../test/support/servers';
import {
  GIFT,
  makePartitions,
  removeContributions,
  replaceLinkages,
  storeContributions,
} from '../../../../test/support/fec-data/contribution-rows';
import { ChartsVersionGoneError } from '../charts-version';
import { refreshCharts } from '../refresh/refresh-charts';
import { ChartRepository } from './chart.repository';

const CANDIDATES = [1, 2, 3, 4];
const REFRESHES = 20;

/**
 * In round n, every candidate has n donors, which one refresh publishes together. Every second round removes a
 * candidate. An answer that mixed two versions would contain two different numbers.
 */
describe('readers of charts while they are refreshed', () => {
  let db: TestDatabase;
  let readers: Pool; // refreshes use other connections
  let reader: ChartRepository;
  beforeAll(async () => {
    db = await testDatabase();
    readers = new Pool({ connectionString: db.url, max: 8 });
    reader = new ChartRepository(readers);
    await makePartitions(db.pool, [2016]);
    await replaceLinkages(
      db.pool,
      CANDIDATES.map((n) => ({
        candidateId: `P0000000${n}`,
        committeeId: `C0000000${n}`,
        cycle: 2016,
        designation: 'P',
      })),
    );
  });
  afterAll(async () => {
    await readers.end();
    await db.close();
  });

  /** Stores 3 candidates in even rounds or 4 in odd rounds, each with as many donors as the number of the round. */
  async function store(round: number): Promise<void> {
    const rows = CANDIDATES.map((n) => ({
      ...GIFT,
      rowId: round * 10 + n,
      committeeId: `C0000000${n}`,
      donorKey: round,
    }));
    await storeContributions(db.pool, rows);
    const last = Array.from({ length: round }, (_, at) => ({ cycle: 2016, rowId: (at + 1) * 10 + 4 }));
    if (round % 2 === 0) await removeContributions(db.pool, last);
    else
      await storeContributions(
        db.pool,
        last.map(({ rowId }, at) => ({ ...GIFT, rowId, committeeId: 'C00000004', donorKey: at + 1 })),
      );
  }

  /** Reads three answers of one version. @returns [round, candidates, committees] */
  async function read(): Promise<readonly [number, number, number]> {
    const version = (await reader.current())!;
    const series = [...(await reader.cumulativeDonors(version, { cycles: [2016] }))];
    const ages = [...(await reader.ageDistribution(version, { cycles: [2016] }))];
    const genders = [...(await reader.breakdown(version, { cycles: [2016], by: ['gender'] }))];
    const last = series.filter(({ date }) => date === '2015-03-01');
    const numbers = new Set([...last, ...ages, ...genders].map(({ donors }) => donors));
    expect([...numbers]).toHaveLength(1);
    expect(genders).toHaveLength(last.length);
    return [[...numbers][0], last.length, ages.length];
  }

  it('get all answers completely from one version', async () => {
    await store(1);
    await refreshCharts(db.pool);
    let isRunning = true;
    const answers: (readonly [number, number, number])[] = [];
    const client = async () => {
      while (isRunning)
        try {
          answers.push(await read());
        } catch (error) {
          if (!(error instanceof ChartsVersionGoneError)) throw error; // replaced twice: the client reads again
        }
    };
    const clients = Array.from({ length: 8 }, client);
    for (let round = 2; round <= REFRESHES + 1; round++) {
      await store(round);
      await refreshCharts(db.pool);
    }
    isRunning = false;
    await Promise.all(clients);
    for (const [round, candidates, committees] of answers) {
      const expected = round % 2 === 0 ? 3 : 4;
      expect([round, candidates, committees]).toEqual([round, expected, expected]);
    }
    expect(new Set(answers.map(([round]) => round)).size).toBeGreaterThan(REFRESHES / 2);
  });
});
