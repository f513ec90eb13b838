import { type PoolClient } from 'pg';
import { inTransaction } from '@donorlens/database';
import { type TestDatabase, testDatabase } from '../../../../test/support/servers';
import {
  CANDIDATE_COLUMNS,
  COMMITTEE_COLUMNS,
  type Candidate,
  type Committee,
  LINKAGE_COLUMNS,
  type Linkage,
} from './master-columns';
import { MastersRepository } from './masters.repository';

const rowOf = <Row>(columns: readonly string[], given: Partial<Row>): Row =>
  ({ ...Object.fromEntries(columns.map((column) => [column, ''])), ...given }) as Row;
const candidate = (CAND_ID: string, CAND_NAME: string): Candidate =>
  rowOf<Candidate>(CANDIDATE_COLUMNS, { CAND_ID, CAND_NAME, CAND_OFFICE: 'P', CAND_ELECTION_YR: '2016' });
const committee = (CMTE_ID: string, CMTE_NM: string): Committee =>
  rowOf<Committee>(COMMITTEE_COLUMNS, { CMTE_ID, CMTE_NM });
const linkage = (CAND_ID: string, CMTE_ID: string, CMTE_DSGN: string): Linkage =>
  rowOf<Linkage>(LINKAGE_COLUMNS, { CAND_ID, CMTE_ID, CMTE_DSGN, CMTE_TP: 'P', CAND_ELECTION_YR: '2020' });

const NAMES = ['DOE, PAT', 'MUÑOZ, ZOË', 'O%NE, RAY_MOND', 'STRAẞER, ŁUKASZ', 'D\'ROE, "PAT" / RAY ROE', '李, 明'];

describe('masters in Postgres', () => {
  let db: TestDatabase;
  let masters: MastersRepository;

  beforeAll(async () => {
    db = await testDatabase();
    masters = new MastersRepository(db.pool);
    await inTransaction(db.pool, (client) => load(client));
  });
  afterAll(() => db.close());

  async function load(client: PoolClient): Promise<void> {
    await masters.replaceCycle(client, 2016, {
      candidates: NAMES.map((name, i) => candidate(`P6000000${i}`, name)).reverse(),
      committees: [committee('C00000001', 'PAT 2016'), committee('C00000002', 'PAT AGAIN')],
      linkages: [
        linkage('P60000000', 'C00000002', 'A'),
        linkage('P60000000', 'C00000001', 'P'),
        linkage('P60000001', 'C00000009', 'U'),
        linkage('H6IL01001', 'C00000004', 'P'), // committee of a House candidate, and of a presidential candidate later
      ],
    });
    await masters.replaceCycle(client, 2020, {
      candidates: [candidate('P60000000', 'DOE, PATRICIA')],
      committees: [],
      linkages: [linkage('P60000000', 'C00000003', 'J'), linkage('P60000000', 'C00000004', 'P')],
    });
  }

  const found = async (nameParts: string[], cycles: number[] = []) =>
    (await masters.candidateSearch({ nameParts, cycles })).map(
      ({ cycle, CAND_ID, CAND_NAME }) => `${cycle} ${CAND_ID} ${CAND_NAME}`,
    );

  it('return the cycle and 15 columns of candidates, sorted by cycle and candidate', async () => {
    const rows = await masters.candidateSearch({ nameParts: ['doe'], cycles: [] });
    expect(rows).toEqual([
      { cycle: 2016, ...candidate('P60000000', 'DOE, PAT') },
      { cycle: 2020, ...candidate('P60000000', 'DOE, PATRICIA') },
    ]);
    expect(await found([], [2016])).toEqual(NAMES.map((name, i) => `2016 P6000000${i} ${name}`));
  });

  it.each([
    ['muñoz', ['MUÑOZ, ZOË']],
    ['MUNOZ, zoe', ['MUÑOZ, ZOË']],
    ['strasser', ['STRAẞER, ŁUKASZ']],
    ['łuk', ['STRAẞER, ŁUKASZ']],
    ['%', ['O%NE, RAY_MOND']],
    ['o%ne, ray_', ['O%NE, RAY_MOND']],
    ['d_e', []],
    ['d%e', []],
    ['\\', []],
    ["d'roe", ['D\'ROE, "PAT" / RAY ROE']],
    ['李, 明', ['李, 明']],
    ['\u0301', []],
    ['', []],
  ])('find %j in names regardless of case and accents, and not as a pattern', async (part, names) => {
    expect((await found([part], [2016])).map((line) => line.slice(15))).toEqual(names);
  });

  it('match any name part and any cycle of a search, and require both kinds', async () => {
    expect(await found(['patricia', 'zoe'])).toEqual(['2016 P60000001 MUÑOZ, ZOË', '2020 P60000000 DOE, PATRICIA']);
    expect(await found(['patricia'], [2016])).toEqual([]);
    expect(await found(['doe'], [2020, 2016, 1984])).toHaveLength(2);
  });

  it('return the linked committees of matching candidates, sorted by cycle, candidate and committee', async () => {
    const rows = await masters.committeeSearch({ nameParts: ['doe', 'munoz'], cycles: [] });
    const linked = rows.map((row) =>
      [row.cycle, row.CAND_ID, row.CAND_NAME, row.LINKAGE_DSGN, row.CMTE_ID, row.CMTE_NM].join(' | '),
    );
    expect(linked).toEqual([
      '2016 | P60000000 | DOE, PAT | P | C00000001 | PAT 2016',
      '2016 | P60000000 | DOE, PAT | A | C00000002 | PAT AGAIN',
      '2016 | P60000001 | MUÑOZ, ZOË | U | C00000009 | ',
      '2020 | P60000000 | DOE, PATRICIA | J | C00000003 | ',
      '2020 | P60000000 | DOE, PATRICIA | P | C00000004 | ',
    ]);
    expect(rows[2]).toEqual({
      ...committee('C00000009', ''),
      cycle: 2016,
      CAND_ID: 'P60000001',
      CAND_NAME: 'MUÑOZ, ZOË',
      CAND_PTY_AFFILIATION: '',
      CAND_ELECTION_YR: '2016',
      LINKAGE_DSGN: 'U',
      LINKAGE_TP: 'P',
    });
  });

  it('return names from the newest cycle, and the links between candidates and committees', async () => {
    expect([...(await masters.namesOf(['P60000000', 'C00000001', 'P99999999']))]).toEqual([
      ['C00000001', 'PAT 2016'],
      ['P60000000', 'DOE, PATRICIA'],
    ]);
    const links = async (id: string): Promise<string[]> =>
      (await masters.linksOf([id])).map(
        ({ cycle, candidateId, committeeId, isPrincipal }) => `${cycle} ${candidateId} ${committeeId} ${isPrincipal}`,
      );
    expect(await links('P60000000')).toEqual([
      '2016 P60000000 C00000001 true',
      '2016 P60000000 C00000002 false',
      '2020 P60000000 C00000003 false',
      '2020 P60000000 C00000004 true',
    ]);
    expect(await links('C00000003')).toEqual(['2020 P60000000 C00000003 false']);
    expect(await links('C00000009')).toEqual([]);
  });

  it('treat committees with designation P, A or J in any cycle as presidential', async () => {
    expect(await masters.committeesOf(['P'])).toEqual(new Set(['C00000001', 'C00000002', 'C00000003', 'C00000004']));
  });

  it('use linkages of the cycle, and of the nearest cycle only if a committee has none in the cycle', async () => {
    const [of2016, of2018, of2020] = await Promise.all(
      [2016, 2018, 2020].map((cycle) => masters.committeesOf(['P'], cycle)),
    );
    expect(of2016).toEqual(new Set(['C00000001', 'C00000002', 'C00000003']));
    expect(of2018).toEqual(of2016); // 2016 and 2020 are equally near: the earlier one decides
    expect(of2020).toEqual(new Set(['C00000001', 'C00000002', 'C00000003', 'C00000004']));
  });

  it('link a committee only in the cycle of its linkage', async () => {
    const linked = await Promise.all([2016, 2018, 2020].map((cycle) => masters.isLinked('C00000001', cycle)));
    expect(linked).toEqual([true, false, false]);
    expect(await masters.isLinked('C00000009', 2016)).toBe(false); // unauthorized
  });

  it('report the loaded cycles with their source files', async () => {
    expect([await masters.hasCycle(2016), await masters.hasCycle(2012)]).toEqual([true, false]);
    expect(await masters.coverage()).toEqual([]);
    const file = {
      kind: 'cn',
      source: 'file:///x/cn16.zip',
      sha256: 'ab',
      bytes: 3,
      retrievedAt: '2026-01-01T00:00:00Z',
    };
    await db.pool.query(
      `insert into fec_import (kind, cycle, label, source, state, epoch, detail, finished_at)
       values ('masters', 2016, 'folder', 'x', 'done', 1, $1, now()), ('masters', 2016, 'folder', 'x', 'failed', 1, '{}', now())`,
      [JSON.stringify({ files: [file] })],
    );
    expect(await masters.coverage()).toEqual([
      {
        cycle: 2016,
        label: 'folder',
        candidates: 6,
        committees: 2,
        linkages: 3,
        importedAt: expect.any(Date),
        files: [file],
      },
    ]);
  });

  it('replace the rows of a cycle without a change to other cycles', async () => {
    await inTransaction(db.pool, async (client) => {
      await masters.replaceCycle(client, 2016, {
        candidates: [candidate('P60000009', 'ROE, RAY')],
        committees: [],
        linkages: [],
      });
    });
    expect(await found([])).toEqual(['2016 P60000009 ROE, RAY', '2020 P60000000 DOE, PATRICIA']);
  });
});
