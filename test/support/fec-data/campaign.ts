import { type Pool } from 'pg';
import { refreshCharts } from '@donorlens/charts';
import { type ContributionRow, GIFT, makePartitions, replaceLinkages, storeContributions } from './contribution-rows';

/** A small synthetic campaign: two candidates in 2016, one again in 2020; five donors, one of whom gives twice. */
export const ANA = 'P00000001';
export const BEN = 'P00000002';
export const OF_ANA = 'C00000001';
export const OF_BEN = 'C00000002';
/** House candidate in 2016, with a committee of one donor. */
export const CAM = 'H6ZZ06001';
export const OF_CAM = 'C00000003';

const GIFTS: readonly Partial<ContributionRow>[] = [
  { rowId: 1, donorKey: 11, receivedOn: '2015-01-01', age: 40, gender: 'f' },
  { rowId: 2, donorKey: 12, receivedOn: '2015-01-03', age: 40, gender: 'm', race: 'api', state: 'CA' },
  { rowId: 3, donorKey: 11, receivedOn: '2015-01-03', moneyCents: 1_050 },
  {
    rowId: 4,
    donorKey: 13,
    receivedOn: '2015-01-04',
    age: null,
    ageAdult: null,
    gender: null,
    race: null,
    income: null,
  },
  { rowId: 5, donorKey: 14, receivedOn: '2015-01-02', committeeId: OF_BEN, age: 63, gender: 'm' },
  { rowId: 6, donorKey: 15, receivedOn: '2019-02-01', cycle: 2020 },
];

const NAMES = [
  [ANA, 2016, 'MADEUP, ANA É.'],
  [ANA, 2020, 'MADEUP, ANA É.'],
  [BEN, 2016, '=CMD, BEN 100%'],
] as const;

const LINKAGES = [
  { candidateId: ANA, committeeId: OF_ANA, cycle: 2016, designation: 'P' },
  { candidateId: ANA, committeeId: OF_ANA, cycle: 2020, designation: 'P' },
  { candidateId: BEN, committeeId: OF_BEN, cycle: 2016, designation: 'P' },
] as const;

/** Stores the campaign and builds its charts. */
export async function storeCampaign(pool: Pool): Promise<void> {
  for (const [id, cycle, name] of NAMES)
    await pool.query(
      `insert into candidate values ($1, $2, $3::text, 'IND', '2016', 'US', 'P', '00', 'O', 'C', '', '', '', '', '', '', $4)`,
      [id, cycle, name, name.normalize('NFD').replace(/\p{M}/gu, '')],
    );
  for (const [id, cycle] of [
    [OF_ANA, 2016],
    [OF_ANA, 2020],
    [OF_BEN, 2016],
  ] as const)
    await pool.query(
      `insert into committee values ($1, $2, 'FRIENDS, ' || $1, '', '', '', '', '', '', 'P', 'P', 'IND', 'Q', '', '', '')`,
      [id, cycle],
    );
  await replaceLinkages(pool, LINKAGES);
  await makePartitions(pool, [2016, 2020]);
  await storeContributions(
    pool,
    GIFTS.map((gift) => ({ ...GIFT, ...gift })),
  );
  await refreshCharts(pool);
}

/** Adds one more donor of Ana in 2016, which makes the next version of the charts. */
export async function storeNextGift(pool: Pool, donorKey = 99): Promise<void> {
  await storeContributions(pool, [{ ...GIFT, rowId: 1000 + donorKey, donorKey, receivedOn: '2015-01-02' }]);
  await refreshCharts(pool);
}

/** Adds the candidate for House. */
export async function storeHouseCandidate(pool: Pool): Promise<void> {
  await pool.query(
    `insert into candidate values ($1, 2016, 'MADEUP, CAM', 'IND', '2016', 'ZZ', 'H', '06', 'O', 'C', '', '', '', '', '', '', 'MADEUP, CAM')`,
    [CAM],
  );
  await replaceLinkages(pool, [...LINKAGES, { candidateId: CAM, committeeId: OF_CAM, cycle: 2016, designation: 'P' }]);
  await storeContributions(pool, [{ ...GIFT, rowId: 2000, donorKey: 200, committeeId: OF_CAM }]);
  await refreshCharts(pool);
}

/** Records the imports of a sample, like the importer. */
export async function storeProvenance(pool: Pool): Promise<void> {
  for (const cycle of [2016, 2020]) {
    const files = (['cn', 'cm', 'ccl'] as const).map((kind) => ({
      kind,
      source: `file:///srv/somewhere/fec/${cycle}/${kind}${cycle % 100}.zip`,
      sha256: 'a'.repeat(64),
      bytes: 1000,
      retrievedAt: '2026-01-02T03:04:05.000Z',
    }));
    await pool.query(
      `insert into fec_import (kind, cycle, label, source, state, epoch, detail, finished_at)
       values ('masters', $1, 'sample', 'fec', 'done', 1, $2, '2026-01-02T03:04:05Z')`,
      [cycle, JSON.stringify({ files })],
    );
    await pool.query(
      `insert into fec_import (kind, cycle, label, source, sha256, state, epoch, rows_kept, finished_at)
       values ('contributions', $1, 'sample', $2, decode($3, 'hex'), 'done', 1, 5, '2026-01-03T03:04:05Z')`,
      [cycle, `file:///srv/somewhere/fec/${cycle}/indiv${cycle % 100}.zip`, 'b'.repeat(64)],
    );
  }
}
