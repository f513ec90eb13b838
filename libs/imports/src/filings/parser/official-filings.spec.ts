import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { FIELD_SEPARATOR } from '@donorlens/tabular';
import { OFFICIAL_DATA, describeWith } from '../../../../../test/support/tools';
import { type FiledItem, type FilingCover, type ItemPlace } from './filing';
import { RecordMaker } from './import-record';
import { readFiling } from './read-filing';

const filing = (name: string) => createReadStream(join(OFFICIAL_DATA, 'fec/efiling', name));

/** A filing as read, with its items and the records made of them. */
async function readToEnd(name: string, fileNumber: string, presidential: readonly string[]) {
  const items: FiledItem[] = [];
  const records: string[][] = [];
  let maker: RecordMaker;
  const summary = await readFiling(filing(name), {
    cover: (cover: FilingCover) => (maker = new RecordMaker(cover, fileNumber, new Set(presidential))),
    item: (item: FiledItem | null, place: ItemPlace) => {
      if (item !== null) items.push(item);
      const made = maker.recordOf(item, place);
      if (made !== null && 'record' in made) records.push(made.record.split(FIELD_SEPARATOR));
    },
  });
  return { summary, items, records };
}

describeWith('official data')('official filings', () => {
  it('a presidential report of version 8.0 agrees with its form to the cent', async () => {
    const { summary, records } = await readToEnd('F3P-newt2012-2012M4.fec', '', []);
    expect(summary).toMatchObject({
      header: { version: '8.0', amends: null, amendment: 0 },
      cover: { form: 'F3PN', filer: 'C00496497', reportCode: 'M4' },
      isRead: true,
      bytes: 1_607_065,
      lines: 7942,
      lineCounts: { SA17A: 7386, SB23: 308, SD12: 211, SB28A: 32, SA20A: 3 },
    });
    expect(summary.reconciliation).toEqual({
      itemizedRows: 7192,
      itemizedCents: 97_817_925,
      itemizedSummaryCents: 97_817_925,
      itemizedDifferenceCents: 0,
      unitemizedCents: 69_862_577,
      unitemizedShare: expect.closeTo(0.4166, 4),
      refundRows: 32,
      refundCents: 1_206_600,
      refundSummaryCents: 1_516_100,
      refundDifferenceCents: 309_500,
      memoRows: 194,
      unreadAmounts: 0,
    });
    expect(records).toHaveLength(7386 + 32);
    expect(new Set(records.map((record) => record.length))).toEqual(new Set([26]));
    expect(new Set(records.map((record) => record[16])).size).toBe(7418);
    expect(records.every((record) => /^\d{8}$/.test(record[13]) && record[0] === 'C00496497')).toBe(true);
  });

  it('a report of which only the form is there says what is missing', async () => {
    const { summary } = await readToEnd('1385191.fec', '1385191', []);
    expect(summary.reconciliation).toMatchObject({
      itemizedRows: 0,
      itemizedCents: 0,
      itemizedSummaryCents: 519_156_400,
      itemizedDifferenceCents: 519_156_400,
      unitemizedCents: 521_509_318,
    });
  });

  it.each([
    ['F3-vanhollen-2012Q1.fec', '8.0', 'F3N', 110, 11_875_000, 90_000],
    ['1550126.fec', '8.3', 'F3A', 4, 250_000, 173_900],
  ])('%s, of a House candidate, agrees with its form to the cent', async (name, version, form, rows, cents, rest) => {
    const { summary, records } = await readToEnd(name, '', []);
    expect(summary).toMatchObject({ header: { version }, isRead: true, cover: { form } });
    expect(summary.reconciliation).toMatchObject({
      ...{ itemizedRows: rows, itemizedCents: cents, itemizedSummaryCents: cents, itemizedDifferenceCents: 0 },
      ...{ unitemizedCents: rest, refundRows: 0, refundCents: 0, refundSummaryCents: 0, unreadAmounts: 0 },
    });
    expect(records).toHaveLength(summary.lineCounts.SA11AI);
    expect(new Set(records.map((record) => record[21]))).toEqual(new Set(['SA11AI']));
  });

  it('version 3.00: commas, and names in one column', async () => {
    const { summary, items, records } = await readToEnd('27789.fec', '27789', []);
    expect(summary).toMatchObject({
      header: { version: '3.00', amends: '24088', amendment: 1 },
      cover: { form: 'F3XA', filer: 'C00097485', reportCode: 'YE' },
      lineCounts: { SA11A1: 2626, SB28A: 1 },
      reconciliation: { itemizedRows: 2626, itemizedCents: 14_940_852, itemizedDifferenceCents: 0, unreadAmounts: 0 },
    });
    expect(items.filter((item) => item.lastName === '')).toMatchObject([
      { line: 'SB28A', organization: expect.any(String) },
    ]);
    expect(items.filter((item) => item.transactionId === '')).toHaveLength(0);
    expect(records).toEqual([]);
  });

  it('version 2.02: a header block that counts the lines, and names joined by ^', async () => {
    const { summary, items } = await readToEnd('13360.fec', '13360', []);
    expect(summary).toMatchObject({
      header: { version: '2.02', amends: null },
      cover: { form: 'F3XA', filer: 'C00101766', reportCode: 'M6' },
      lineCounts: { SA11A1: 139, SA17: 1, SB23: 8, SB29: 3 },
      reconciliation: { itemizedRows: 139, itemizedCents: 1_428_595, itemizedDifferenceCents: 0 },
    });
    expect(items.every((item) => item.lastName !== '' && item.firstName !== '' && item.entityType === 'IND')).toBe(
      true,
    );
    expect(items[0]).toMatchObject({ state: 'TX', zip: '77024', employer: 'Continental Airlines, Inc.' });
  });

  it('would be kept of a committee linked to a candidate', async () => {
    const { records } = await readToEnd('27789.fec', '27789', ['C00097485']);
    expect(records).toHaveLength(2627);
    expect(records[0].slice(0, 6)).toEqual(['C00097485', 'A', 'YE', '', '', '15']);
    expect(records[0].slice(13, 18)).toEqual(['08012001', '20.00', '', 'R103544', '27789']);
  });
});
