import { randomUUID } from 'node:crypto';
import { StaleFenceError } from '@donorlens/database';
import { type TestDatabase, testDatabase } from '../../../../test/support/servers';
import {
  type ContributionRow,
  GIFT,
  makePartitions,
  removeContributions,
  replaceLinkages,
  storeContributions,
} from '../../../../test/support/fec-data/contribution-rows';
import { ChartsBusyError } from '../charts-version';
import { ChartRepository } from '../reading/chart.repository';
import { readChartsCoverage, readChartsStatus } from '../reading/coverage.repository';
import { type DonorCounts } from '../reading/chart-rows';
import { refreshCharts } from './refresh-charts';

const [A, B] = ['P00000001', 'P00000002'];
const [OF_A, OTHER_OF_A, JOINT] = ['C00000001', 'C00000002', 'C00000009'];
const OWN = { candidateId: A, committeeId: OF_A, cycle: 2016, designation: 'P' };
const OTHER = { ...OWN, committeeId: OTHER_OF_A, designation: 'A' };
const JOINTLY = [A, B].map((candidateId) => ({ candidateId, committeeId: JOINT, cycle: 2016, designation: 'J' }));

describe('a refresh of the charts', () => {
  let db: TestDatabase;
  let reader: ChartRepository;
  beforeEach(async () => {
    db = await testDatabase();
    reader = new ChartRepository(db.pool);
    await makePartitions(db.pool, [2014, 2016, 2018]);
    await replaceLinkages(db.pool, [OWN, OTHER, ...JOINTLY]);
  });
  afterEach(() => db.close());

  const refresh = (reset = false) => refreshCharts(db.pool, { reset });
  const stored = async (...rows: readonly Partial<ContributionRow>[]) => {
    await storeContributions(
      db.pool,
      rows.map((row, at) => ({ ...GIFT, rowId: at + 1, ...row })),
    );
    return refresh();
  };
  const countsOf = ({ donors, contributions, amountCents }: DonorCounts) => [donors, contributions, amountCents];
  const version = async () => (await reader.current())!;
  /** Date and number of each day on which the number of donors changes. */
  const rises = async (candidateId: string, cycle = 2016) => {
    const rows = await reader.cumulativeDonors(await version(), { candidateIds: [candidateId], cycles: [cycle] });
    return [...rows]
      .filter(({ donors }, at, all) => donors !== (all[at - 1]?.donors ?? 0))
      .map(({ date, donors }) => [date, donors]);
  };
  const ages = async (committeeId = OF_A) => {
    const rows = await reader.ageDistribution(await version(), { committeeIds: [committeeId] });
    return [...rows].map((row) => [row.cycle, row.ageYears, ...countsOf(row as typeof row & DonorCounts)]);
  };
  const genders = async (candidateId: string) => {
    const rows = await reader.breakdown(await version(), { candidateIds: [candidateId], by: ['gender'] });
    return [...rows].map((row) => [row.cycle, row.value, ...countsOf(row as typeof row & DonorCounts)]);
  };

  it('counts a donor once per committee and cycle, on the day of the first gift with the age on that day', async () => {
    await stored(
      { receivedOn: '2015-03-04', age: 40 },
      { receivedOn: '2015-03-01', age: 39 },
      { receivedOn: '2015-03-01', age: 38, donorKey: 2 },
    );
    expect(await rises(A)).toEqual([['2015-03-01', 2]]);
    expect(await ages()).toEqual([
      [2016, 38, 1, 1, 2500],
      [2016, 39, 1, 2, 5000],
    ]);
  });

  it('treats the row with the lowest row id as the first of a day', async () => {
    await stored({ rowId: 7, age: 40 }, { rowId: -3, age: 39 }, { rowId: 5, age: 41 });
    expect(await ages()).toEqual([[2016, 39, 1, 3, 7500]]);
  });

  it('moves the donor’s first day if an earlier gift is added, moved to a later day, or removed', async () => {
    await stored({ receivedOn: '2015-06-01' });
    await stored({ receivedOn: '2015-06-01' }, { receivedOn: '2015-02-01', age: 39 });
    expect(await rises(A)).toEqual([['2015-02-01', 1]]);
    await stored({ receivedOn: '2015-06-01' }, { receivedOn: '2015-07-01', age: 39 });
    expect(await rises(A)).toEqual([['2015-06-01', 1]]);
    await removeContributions(db.pool, [{ cycle: 2016, rowId: 1 }]);
    await refresh();
    expect(await rises(A)).toEqual([['2015-07-01', 1]]);
  });

  it('leaves empty charts after the last donor of a committee is removed', async () => {
    await stored({});
    await removeContributions(db.pool, [{ cycle: 2016, rowId: 1 }]);
    expect(await refresh()).toMatchObject({ outcome: 'built', series: 2, changed: 2 });
    expect([await rises(A), await ages(), await genders(A)]).toEqual([[], [], []]);
  });

  it('counts a gift without a date as money without a donor, and subtracts a refund from its donor’s money', async () => {
    await stored(
      { receivedOn: null, countsDonor: false },
      { donorKey: 2 },
      { donorKey: 2, moneyCents: -1_000, countsDonor: false, receivedOn: '2015-09-09' },
      { donorKey: 0, moneyCents: -50, countsDonor: false },
    );
    expect(await ages()).toEqual([
      [2016, 40, 1, 1, 1500],
      [2016, null, 0, 1, 2450],
    ]);
    expect(await genders(A)).toEqual([
      [2016, 'f', 1, 1, 1500],
      [2016, null, 0, 1, 2450],
    ]);
  });

  it('adds a negative refund to the money of its donor, but not to the contributions', async () => {
    await stored({}, { moneyCents: 700, countsDonor: false, reason: 'refund', receivedOn: '2015-09-09' });
    expect([await ages(), await genders(A)]).toEqual([[[2016, 40, 1, 1, 3200]], [[2016, 'f', 1, 1, 3200]]]);
  });

  it('assigns a donor to the band of the cycle total, net of refunds, with truncated cents', async () => {
    const sizes = async () =>
      [...(await reader.donorSize(await version(), { candidateIds: [A] }))].map((row) => [
        row.fromDollars,
        ...countsOf(row),
      ]);
    await stored(
      { moneyCents: 19_999 },
      { donorKey: 2, moneyCents: 20_000 },
      { donorKey: 3, moneyCents: 150_000 },
      { donorKey: 3, moneyCents: 50_000, receivedOn: '2016-05-01' },
      { donorKey: 0, moneyCents: 700, countsDonor: false },
    );
    expect(await sizes()).toEqual([
      [0, 1, 1, 19_999],
      [200, 1, 1, 20_000],
      [2_000, 1, 2, 200_000],
      [null, 0, 1, 700],
    ]);
    await stored(
      { moneyCents: 20_001 },
      { donorKey: 2, rowId: 2, moneyCents: 20_000 },
      { donorKey: 3, rowId: 3, moneyCents: 10_000 },
    );
    expect((await sizes()).map(([band, donors]) => [band, donors])).toEqual([
      [200, 2],
      [500, 1],
      [null, 0],
    ]);
  });

  it('rebuilds all charts that an earlier release has built', async () => {
    await stored({}, { donorKey: 2 });
    await db.pool.query(
      `update chart_version set detail = detail - 'form'; delete from donor_breakdown where by = 'size'`,
    );
    expect(await readChartsStatus(db.pool)).toMatchObject({ formIsOld: true });
    expect(await refresh()).toMatchObject({ outcome: 'built' });
    expect([...(await reader.donorSize(await version(), {}))].map(countsOf)).toEqual([[2, 2, 5_000]]);
    expect(await readChartsStatus(db.pool)).toMatchObject({ formIsOld: false });
  });

  it('counts donors of a joint fundraiser for each of its candidates, but not its money', async () => {
    await stored({ committeeId: JOINT }, { committeeId: OF_A, donorKey: 2, receivedOn: '2015-05-01' });
    expect(await rises(A)).toEqual([
      ['2015-03-01', 1],
      ['2015-05-01', 2],
    ]);
    expect(await rises(B)).toEqual([['2015-03-01', 1]]);
    expect(await genders(A)).toEqual([[2016, 'f', 2, 1, 2500]]);
    expect(await genders(B)).toEqual([[2016, 'f', 1, 0, 0]]);
    expect(await ages(JOINT)).toEqual([[2016, 40, 1, 1, 2500]]);
  });

  it('counts a donor to two committees of a candidate once for the candidate', async () => {
    await stored({ age: 40 }, { committeeId: OTHER_OF_A, receivedOn: '2015-01-01', age: 39, gender: 'm' });
    expect(await rises(A)).toEqual([['2015-01-01', 1]]);
    expect(await genders(A)).toEqual([[2016, 'm', 1, 2, 5000]]);
    await stored({ age: 40 }, { committeeId: OTHER_OF_A, gender: 'm' }); // same day: the lowest row id is first
    expect(await genders(A)).toEqual([[2016, 'f', 1, 2, 5000]]);
    await stored({ rowId: 3, age: 40 }, { rowId: 2, committeeId: OTHER_OF_A, gender: 'm' });
    await removeContributions(db.pool, [{ cycle: 2016, rowId: 1 }]);
    await refresh();
    expect(await genders(A)).toEqual([[2016, 'm', 1, 2, 5000]]);
  });

  describe("a conduit's copy", () => {
    const gift = { earmark: 1, receivedOn: '2016-12-31' } as const;
    const copy = { earmark: 2, receivedOn: '2016-12-21' } as const;

    it.each([
      ['counts nothing beside its gift, 10 days apart', copy, 1],
      ['is a gift of its own 11 days apart', { ...copy, receivedOn: '2016-12-20' }, 2],
      ['is a gift of its own with another amount', { ...copy, moneyCents: 2_501 }, 2],
      ['is a gift of its own at another committee', { ...copy, committeeId: OTHER_OF_A }, 1],
      ['finds no gift without a donor', { ...copy, donorKey: 0, countsDonor: false }, 1],
      ['is no copy of a gift that was not earmarked', { ...copy, earmark: 0 } as const, 2],
    ])('%s', async (_, other: Partial<ContributionRow>, contributions) => {
      await stored(gift, other);
      const first = (await ages()).find(([, age]) => age !== null) as readonly unknown[];
      expect(first[3]).toBe(contributions);
    });

    it('is matched with a gift in another cycle, and counts again after the gift is removed', async () => {
      await stored({ ...copy, cycle: 2018, receivedOn: '2017-01-10' });
      expect(await ages()).toEqual([[2018, 40, 1, 1, 2500]]);
      await storeContributions(db.pool, [{ ...GIFT, rowId: 2, ...gift }]);
      await refresh();
      expect(await ages()).toEqual([[2016, 40, 1, 1, 2500]]);
      await removeContributions(db.pool, [{ cycle: 2016, rowId: 2 }]);
      await refresh();
      expect(await ages()).toEqual([[2018, 40, 1, 1, 2500]]);
    });
  });

  describe('links', () => {
    it('apply only in their cycle; a committee without one counts in its own charts and is listed', async () => {
      await replaceLinkages(db.pool, [
        { ...OWN, candidateId: B, cycle: 2018 },
        { ...OWN, cycle: 2014 },
        { ...OTHER, cycle: 2016 },
      ]);
      await stored({}, { committeeId: OTHER_OF_A, donorKey: 2, receivedOn: '2015-05-01' });
      expect([await rises(A), await rises(B)]).toEqual([[['2015-05-01', 1]], []]);
      expect(await ages()).toEqual([[2016, 40, 1, 1, 2500]]);
      expect((await readChartsCoverage(db.pool, await version())).unlinked).toEqual([
        { committeeId: OF_A, cycle: 2016 },
      ]);
    });

    it('exclude committees that are not authorized in the cycle', async () => {
      await replaceLinkages(db.pool, [{ ...OWN, designation: 'U' }]);
      await stored({});
      expect([await rises(A), await ages()]).toEqual([[], [[2016, 40, 1, 1, 2500]]]);
    });

    it('that change move their donors from one candidate to the other in the next refresh', async () => {
      await stored({}, { donorKey: 2 });
      await replaceLinkages(db.pool, [{ ...OWN, candidateId: B }]);
      expect(await readChartsStatus(db.pool)).toMatchObject({ linksAreOld: true });
      expect(await refresh()).toMatchObject({ outcome: 'built', series: 2, donors: 0, changed: 4 });
      expect([await rises(A), await rises(B)]).toEqual([[], [['2015-03-01', 2]]]);
    });

    it('that change together with rows of a donor leave no counts at the previous candidate', async () => {
      await stored({}, { donorKey: 2 });
      await removeContributions(db.pool, [{ cycle: 2016, rowId: 1 }]);
      await replaceLinkages(db.pool, [{ ...OWN, candidateId: B }]);
      await refresh();
      expect([await rises(A), await rises(B)]).toEqual([[], [['2015-03-01', 1]]]);
    });

    it('that are imported again without a change build no version', async () => {
      const first = await stored({});
      await replaceLinkages(db.pool, [OWN, OTHER, ...JOINTLY]);
      expect(await refresh()).toMatchObject({ outcome: 'unchanged', versionId: first.versionId });
      expect(await readChartsStatus(db.pool)).toMatchObject({ linksAreOld: false });
    });

    it('are stored also for a committee without counted rows', async () => {
      await stored({ moneyCents: 0, countsMoney: false, countsDonor: false });
      await replaceLinkages(db.pool, [{ ...OWN, candidateId: B }]);
      await refresh();
      expect((await db.pool.query('select cmte_id, cycle, cand_id from chart_link')).rows).toEqual([
        { cmte_id: OF_A, cycle: 2016, cand_id: B },
      ]);
    });
  });

  describe('versions', () => {
    it('are built only after a change, and contain only the changed pairs', async () => {
      expect(await stored({}, { committeeId: JOINT, donorKey: 5 })).toMatchObject({ outcome: 'built', series: 4 });
      expect(await refresh()).toMatchObject({ outcome: 'unchanged', series: 0, versionId: '1' });
      await storeContributions(db.pool, [GIFT]); // touched, but unchanged
      expect(await refresh()).toMatchObject({ outcome: 'unchanged', donors: 1, changed: 0 });
      await storeContributions(db.pool, [{ ...GIFT, rowId: 3 }]);
      expect(await refresh()).toMatchObject({ outcome: 'built', series: 2, versionId: '2' });
      const { rows } = await db.pool.query('select entity_id from chart_pair where version_id = 2 order by 1');
      expect(rows).toEqual([{ entity_id: OF_A }, { entity_id: A }]);
    });

    it('are built as soon as masters are imported, and are empty without contributions', async () => {
      await db.pool.query('delete from pointer');
      expect(await refresh()).toMatchObject({ versionId: null, outcome: 'unchanged' });
      await replaceLinkages(db.pool, [OWN]);
      expect(await refresh()).toMatchObject({ outcome: 'built', series: 0 });
      expect(await refresh()).toMatchObject({ outcome: 'unchanged' });
      expect([await ages(), await rises(A)]).toEqual([[], []]);
    });

    it('end at the newest contribution of the cycle, counted or not, and earlier after it is removed', async () => {
      const memo = { rowId: 9, countsMoney: false, countsDonor: false, moneyCents: 0, receivedOn: '2015-03-05' };
      await stored({}, memo);
      const last = async () => [...(await reader.cumulativeDonors(await version(), { cycles: [2016] }))].at(-1);
      expect(await last()).toEqual({ cycle: 2016, candidateId: A, date: '2015-03-05', donors: 1 });
      await removeContributions(db.pool, [{ cycle: 2016, rowId: 9 }]);
      expect(await refresh()).toMatchObject({ outcome: 'built' });
      expect(await last()).toEqual({ cycle: 2016, candidateId: A, date: '2015-03-01', donors: 1 });
    });

    it('do not change for readers of the previous version, and are removed two versions later', async () => {
      await stored({});
      const first = await version();
      const of = async (asked: typeof first) => [...(await reader.ageDistribution(asked, { committeeIds: [OF_A] }))];
      const before = await of(first);
      await stored({}, { donorKey: 2 });
      expect(await of(first)).toEqual(before);
      await stored({ donorKey: 3 }, { donorKey: 2 });
      await expect(of(first)).rejects.toMatchObject({ code: 'charts_version_gone' });
      const { rows } = await db.pool.query(
        `select distinct version_id from donor_breakdown union select version_id from cumulative_donors`,
      );
      expect(rows.map(({ version_id: id }) => id as string).sort()).toEqual(['2', '3']);
    });

    it('keep the rows of unchanged pairs, also from old versions', async () => {
      await stored({}, { committeeId: JOINT, donorKey: 5 });
      for (let rowId = 10; rowId < 14; rowId++) {
        await storeContributions(db.pool, [{ ...GIFT, rowId }]);
        await refresh();
      }
      expect(await rises(B)).toEqual([['2015-03-01', 1]]);
    });

    it('count donors of candidates by the donor key and by the coarser key', async () => {
      await stored({}, { donorKey: 2, coarserKey: 1 }, { donorKey: 3, coarserKey: 3 });
      expect((await readChartsCoverage(db.pool, await version())).cycles).toEqual([
        {
          cycle: 2016,
          newestOn: '2015-03-01',
          candidates: 1,
          committees: 1,
          offices: ['P'],
          contributions: 3,
          amountCents: 7_500,
          sensitivity: expect.objectContaining({ donors: 3, donorsByCoarserKey: 2 }),
        },
      ]);
    });
  });

  describe('beside another process', () => {
    const takeLease = async (epoch: number) =>
      db.pool.query(
        `insert into lease (name, holder, epoch, expires_at) values ('charts', $1, $2, now())
         on conflict (name) do update set epoch = excluded.epoch`,
        [randomUUID(), epoch],
      );

    it('makes a second refresh wait, at most for its own maximum wait', async () => {
      const client = await db.pool.connect();
      await client.query('begin');
      await client.query('select pg_advisory_xact_lock(7206174)');
      await expect(refreshCharts(db.pool, { waitMs: 50 })).rejects.toBeInstanceOf(ChartsBusyError);
      const waiting = refreshCharts(db.pool);
      await client.query('rollback');
      client.release();
      await expect(waiting).resolves.toMatchObject({ outcome: 'built' });
    });

    it('changes nothing for a former holder of the lease', async () => {
      await takeLease(2);
      await storeContributions(db.pool, [GIFT]);
      const fence = { lease: 'charts', epoch: 1 };
      await expect(refreshCharts(db.pool, { fence })).rejects.toBeInstanceOf(StaleFenceError);
      expect(await readChartsStatus(db.pool)).toMatchObject({ current: null, touched: 1 });
      await expect(refreshCharts(db.pool, { fence: { ...fence, epoch: 2 } })).resolves.toMatchObject({ series: 2 });
    });

    it('changes nothing if the lease or the connection is lost during the refresh', async () => {
      await takeLease(1);
      await stored({});
      await storeContributions(db.pool, [{ ...GIFT, rowId: 2, donorKey: 2 }]);
      const before = [await version(), await ages(), await rises(A)];
      for (const interrupt of [() => takeLease(2), endBackends]) {
        await takeLease(1);
        const blocker = await db.pool.connect();
        await blocker.query('begin');
        await blocker.query('lock table chart_version in share mode'); // the new version waits here, after the fold
        const running = refreshCharts(db.pool, { fence: { lease: 'charts', epoch: 1 } });
        const ended = expect(running).rejects.toThrow();
        await untilBlocked();
        await interrupt();
        await blocker.query('rollback');
        blocker.release();
        await ended;
        expect([await version(), await ages(), await rises(A)]).toEqual(before);
        expect(await readChartsStatus(db.pool)).toMatchObject({ touched: 1 });
      }
      await expect(refresh()).resolves.toMatchObject({ outcome: 'built', series: 2 });
      expect((await ages())[0]).toEqual([2016, 40, 2, 2, 5000]);
    });

    const BLOCKED = `from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    const endBackends = () => db.pool.query(`select pg_terminate_backend(pid) ${BLOCKED}`);
    const untilBlocked = async () => {
      while ((await db.pool.query(`select ${BLOCKED}`)).rowCount === 0);
    };
  });
});
