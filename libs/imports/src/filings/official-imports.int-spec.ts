import { join } from 'node:path';
import {
  env,
  imports,
  one,
  run,
  states,
  stored,
  tranIds,
  useFilingImports,
} from '../../../../test/support/pipeline/filing-imports';
import { linkCommittees, linkHouseCommittees } from '../../../../test/support/fec-data/itcont';
import { OFFICIAL_DATA, describeWith } from '../../../../test/support/tools';

const OFFICIAL = join(OFFICIAL_DATA, 'fec/efiling');

useFilingImports();

describeWith('official data')('import of official filings', () => {
  it('a presidential report has rows that add up to its form, also when imported twice', async () => {
    await linkCommittees(env.db.pool, 2016, 'C00496497'); // of another cycle than the report's
    const path = join(OFFICIAL, 'F3P-newt2012-2012M4.fec');
    const [report] = await run([path]);
    expect(report).toMatchObject({
      outcome: 'imported',
      cycle: 2012,
      committeeId: 'C00496497',
      isLinked: false,
      lines: { SA17A: 7386, SB28A: 32 },
      kept: 7418,
      stored: 7418,
      duplicates: 0,
      rejected: {},
      reconciliation: {
        itemizedCents: 97_817_925,
        itemizedSummaryCents: 97_817_925,
        unitemizedCents: 69_862_577,
        refundCents: 1_206_600,
        refundSummaryCents: 1_516_100,
      },
      notes: expect.arrayContaining([
        'rows of refunds add up to 12066.00, its form states 15161.00: difference 3095.00',
      ]),
    });
    expect(
      await one(
        `select sum(money_cents)::int as value from contribution where split_part(record, chr(28), 22) = 'SA17A'`,
      ),
    ).toBe(97_817_925);
    expect(
      await one(`select sum(money_cents)::int as value from contribution where money_cents < 0 and
      split_part(record, chr(28), 22) = 'SB28A'`),
    ).toBe(-1_206_600);
    const before = await stored();
    await linkCommittees(env.db.pool, 2012, 'C00496497');
    expect((await run([path]))[0]).toMatchObject({ outcome: 'unchanged', stored: 7418, isLinked: true });
    expect((await run([path], { again: true }))[0]).toMatchObject({ outcome: 'imported', stored: 7418 });
    expect(await stored()).toBe(before);
  });

  it('a form without rows is reported as lacking all of them', async () => {
    const [report] = await run([join(OFFICIAL, '1385191.fec')]);
    expect(report).toMatchObject({
      outcome: 'imported',
      kept: 0,
      reconciliation: { itemizedDifferenceCents: 519_156_400 },
    });
    expect(report.notes).toContain('itemized rows add up to 0.00, its form states 5191564.00: difference 5191564.00');
  });

  it('reports of House and Senate committees add up to their forms; those of unlinked committees have no rows', async () => {
    const offices = ['P', 'S', 'H'] as const;
    const linked = ['C00543926', 'C00587782', 'C00632737', 'C00647313', 'C00659516', 'C00664557', 'C00676312'];
    await linkHouseCommittees(env.db.pool, 2018, ...linked);
    const reports = await run([join(OFFICIAL, '20180616.zip')], {}, { offices });
    const imported = reports.filter(({ outcome }) => outcome === 'imported');
    expect([reports.length, imported.length]).toEqual([52, 9]);
    const sums = imported.map(({ reconciliation }) => reconciliation!);
    expect(sums.every((one) => one.itemizedDifferenceCents === 0 && one.refundDifferenceCents === 0)).toBe(true);
    expect(sums.reduce((sum, one) => sum + one.itemizedCents, 0)).toBe(12_161_366);
    expect(
      await one(
        `select sum(money_cents)::int as value from contribution where split_part(record, chr(28), 22) = 'SA11AI'`,
      ),
    ).toBe(12_161_366);
    expect(
      await one(
        `select sum(money_cents)::int as value from contribution where split_part(record, chr(28), 22) = 'SB20A'`,
      ),
    ).toBe(-271_000);
    expect(await states()).not.toContain('1238412'); // its committee is not linked
    expect(new Set((await run([join(OFFICIAL, '20180616.zip')])).map(({ outcome }) => outcome))).toEqual(
      new Set(['passed_over']),
    );
  });

  it('filings without presidential gifts, also a whole day of them, are passed over', async () => {
    await linkCommittees(env.db.pool, 2016, 'C00496497');
    const names = ['F3-vanhollen-2012Q1.fec', '1550126.fec', '27789.fec', '13360.fec', '20180616.zip'];
    const reports = await run(names.map((name) => join(OFFICIAL, name)));
    expect(reports).toHaveLength(4 + 52);
    expect(new Set(reports.map(({ outcome }) => outcome))).toEqual(new Set(['passed_over']));
    expect([await imports(), await tranIds()]).toEqual(['', '']);
  });
});
