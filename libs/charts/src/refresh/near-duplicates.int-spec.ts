import fc from 'fast-check';
import { type TestDatabase, testDatabase } from '../../../../test/support/servers';
import {
  GIFT,
  makePartitions,
  replaceLinkages,
  storeContributions,
} from '../../../../test/support/fec-data/contribution-rows';
import { type NearDuplicates, type VersionDetail } from '../charts-version';
import { measureSensitivity } from './key-sensitivity.repository';
import { NAMES_OF_NICKNAMES } from './nicknames';
import { refreshCharts } from './refresh-charts';

const CYCLE = 2016;
const ZIP = '94110';

interface Donor {
  readonly surname: string;
  readonly given: string;
  readonly zip: string;
}

describe('near-duplicate donors', () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await testDatabase();
    await makePartitions(db.pool, [CYCLE]);
    await replaceLinkages(db.pool, [
      { candidateId: 'P00000001', committeeId: GIFT.committeeId, cycle: CYCLE, designation: 'P' },
    ]);
  });
  afterAll(() => db.close());

  /** Stores one contribution per donor, each with a separate key, and measures near-duplicates. */
  async function measured(donors: readonly { name: string; zip: string }[]): Promise<NearDuplicates | undefined> {
    await db.pool.query('truncate contribution');
    await storeContributions(
      db.pool,
      donors.map((donor, at) => ({ ...GIFT, ...donor, rowId: at + 1, donorKey: at + 1 })),
    );
    const { versionId } = await refreshCharts(db.pool, { reset: true });
    await measureSensitivity(db.pool, versionId!);
    return (await detailOf(versionId!)).sensitivity?.[CYCLE].nearDuplicates;
  }
  const detailOf = async (versionId: string): Promise<VersionDetail> =>
    (await db.pool.query<{ detail: VersionDetail }>('select detail from chart_version where id = $1', [versionId]))
      .rows[0].detail;

  const pairsOf = async (...names: string[]) => (await measured(names.map((name) => ({ name, zip: ZIP }))))?.pairs;

  it.each([
    ['a nickname', 'SMITH, WILLIAM', 'SMITH, BILL'],
    ['two nicknames of one name', 'SMITH, BOB J.', 'Smith, Robbie'],
    ['an initial', "O'BRIEN, MARY", 'OBRIEN, M.'],
    ['a title and an initial', 'SMITH, MR. JOHN', 'SMITH, J'],
    ['another letter in the given name', 'SMITH, MARTHA', 'SMITH, MARTMA'],
    ['two neighbors exchanged', 'SMITH, DANIEL', 'SMITH, DAINEL'],
    ['a letter too few in the surname', 'JOHNSON, ANN', 'JOHNSN, ANN'],
    ['a letter too many at the end', 'SMITH, ANN', 'SMITHE, ANN'],
  ])('include donors with %s', async (_, one, other) => {
    expect(await pairsOf(one, other)).toBe(1);
  });

  it.each([
    ['short names with another letter', 'SMITH, MARK', 'SMITH, MARY'],
    ['two typos', 'SMITH, MARTHA', 'SMITH, MARTIN'],
    ['different names with one nickname', 'SMITH, ALBERT', 'SMITH, ALFRED'],
    ['a typo in both names', 'JOHNSON, MARTHA', 'JOHNSEN, MARTMA'],
    ['another initial', 'SMITH, J.', 'SMITH, K.'],
    ['the same name', 'SMITH, JOHN', 'SMITH, JOHN'],
    ['no given name', 'SMITH', 'SMYTH'],
  ])('do not include donors with %s', async (_, one, other) => {
    expect(await pairsOf(one, other)).toBe(0);
  });

  it('have the same five digits of the ZIP', async () => {
    const bill = { name: 'SMITH, BILL', zip: '941101234' };
    expect(await measured([bill, { name: 'SMITH, WILLIAM', zip: ZIP }])).toMatchObject({ pairs: 1 });
    expect(await measured([bill, { name: 'SMITH, WILLIAM', zip: '94111' }])).toMatchObject({ pairs: 0 });
    expect(
      await measured([
        { ...bill, zip: '' },
        { name: 'SMITH, WILLIAM', zip: '' },
      ]),
    ).toMatchObject({ pairs: 0 });
  });

  it('are each counted once among the donors of the cycle', async () => {
    const names = ['SMITH, WILLIAM', 'SMITH, BILL', 'SMITH, W.', 'JONES, ANN'];
    expect(await measured(names.map((name) => ({ name, zip: ZIP })))).toEqual({
      donors: 4,
      pairedDonors: 3,
      pairs: 2,
    });
  });

  it('do not fail a refresh if they, or the vacuum before, cannot be completed', async () => {
    const onWarning = jest.fn();
    const timeout = new Error('canceling statement due to statement timeout');
    const query = jest.spyOn(db.pool, 'query').mockRejectedValue(timeout as never);
    const refreshed = await refreshCharts(db.pool, { reset: true, onWarning }).finally(() => query.mockRestore());
    expect(refreshed).toMatchObject({ outcome: 'built' });
    expect(onWarning.mock.calls).toEqual([
      [expect.stringMatching(/^donor_touched was not vacuumed/), timeout],
      [expect.stringMatching(/^key sensitivity was not measured/), timeout],
    ]);
  });

  it('are the same as those found by a comparison of all pairs of donors', async () => {
    const letters = fc.string({ unit: fc.constantFrom('A', 'B', 'C'), minLength: 1, maxLength: 6 });
    const donor = fc.record<Donor>({
      surname: fc.oneof(fc.constant('BABAC'), letters),
      given: fc.oneof(fc.constantFrom('WILLIAM', 'BILL', 'WILL', 'W', 'ALBERT', 'AL', 'ALFRED', 'A'), letters),
      zip: fc.constantFrom(ZIP, '94111'),
    });
    const donors = fc.uniqueArray(donor, {
      selector: (one) => Object.values(one).join(),
      minLength: 20,
      maxLength: 60,
    });
    await fc.assert(
      fc.asyncProperty(donors, async (all) => {
        const pairs = all.flatMap((one, at) =>
          all
            .slice(at + 1)
            .filter((other) => isPair(one, other))
            .map((other) => [one, other]),
        );
        expect(await measured(all.map(({ surname, given, zip }) => ({ name: `${surname}, ${given}`, zip })))).toEqual({
          donors: all.length,
          pairedDonors: new Set(pairs.flat()).size,
          pairs: pairs.length,
        });
      }),
      { numRuns: 20 },
    );
  });
});

function isPair(one: Donor, other: Donor): boolean {
  if (one.zip !== other.zip) return false;
  if (one.given === other.given) return isTypo(one.surname, other.surname);
  if (one.surname !== other.surname) return false;
  const initials = [one, other].filter(({ given }) => given.length === 1);
  const isInitial = initials.length === 1 && one.given[0] === other.given[0];
  return isInitial || isTypo(one.given, other.given) || namesOf(one).some((name) => namesOf(other).includes(name));
}

const namesOf = ({ given }: Donor): string[] =>
  NAMES_OF_NICKNAMES.filter(([written]) => written === given).map(([, name]) => name);

/** Tries each edit of the longer name. */
function isTypo(one: string, other: string): boolean {
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  if (long.length < 5) return false;
  return [...long].some((letter, at) => {
    const [head, tail] = [long.slice(0, at), long.slice(at + 1)];
    const isExchanged = head + tail.slice(0, 1) + letter + tail.slice(1) === short;
    const isOther = short.length === long.length && short.slice(0, at) === head && short.slice(at + 1) === tail;
    return head + tail === short || isExchanged || isOther;
  });
}
