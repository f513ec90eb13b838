import { execFileSync } from 'node:child_process';
import { createReadStream, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { donorName } from '@donorlens/demographics';
import { FIELD_SEPARATOR } from '@donorlens/tabular';
import { OFFICIAL_DATA, describeWith } from '../../../../../test/support/tools';
import { eachFiling } from '../filing-files';
import { type FiledItem, type FilingCover, type ItemPlace, type Reconciliation } from './filing';
import { RecordMaker } from './import-record';
import { readFiling } from './read-filing';

const FOLDER = join(OFFICIAL_DATA, 'fec/efiling');
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

const SUMS = [
  ...(['itemizedRows', 'itemizedCents', 'itemizedSummaryCents'] as const),
  ...(['refundRows', 'refundCents', 'refundSummaryCents'] as const),
];

/**
 * Sums of rows and of the form of every filing, added up by another program that knows the columns from the FEC's
 * tables.
 */
function recounted(): Record<string, Record<(typeof SUMS)[number], number>> {
  const program = `
import csv, json, os, re, sys, zipfile
OLD = {'SA': (15, 30), 'SB': (14, 27), 'F3X': (23, 48)}
NEW = {'SA': (20, 42), 'SB': (20, 41), 'F3': (32, 51), 'F3P': (34, 58), 'F3X': (29, 56)}
LINES = {'F3': (('SA11AI',), 'SB20A'), 'F3P': (('SA17A',), 'SB28A'), 'F3X': (('SA11AI', 'SA11A1'), 'SB28A')}
cents = lambda text: round(float(text or 0) * 100)
def added_up(text):
    new = '\\x1c' in text
    rows = [line.rstrip('\\r').split('\\x1c') if new else next(csv.reader([line])) for line in text.split('\\n') if line.strip()]
    rows = [[cell.strip('"') for cell in row] for row in rows]
    form = next((row for row in rows if re.match('F3[PX]?[NAT]?$', row[0].upper())), None)
    if form is None: return None
    kind, at = form[0].upper().rstrip('NAT'), NEW if new else OLD
    itemized, refunds = LINES[kind]
    sums = {'itemizedRows': 0, 'itemizedCents': 0, 'refundRows': 0, 'refundCents': 0}
    for row in rows:
        what = 'itemized' if row[0].upper() in itemized else 'refund' if row[0].upper() == refunds else None
        if what is None: continue
        amount, memo = at[row[0][:2].upper()]
        if len(row) > memo and row[memo].upper() == 'X': continue
        sums[what + 'Rows'] += 1
        sums[what + 'Cents'] += cents(row[amount])
    sums['itemizedSummaryCents'], sums['refundSummaryCents'] = (cents(form[column]) for column in at[kind])
    return sums
found = {}
for name in os.listdir(sys.argv[1]):
    path = os.path.join(sys.argv[1], name)
    if name.endswith('.zip'):
        zip = zipfile.ZipFile(path)
        for member in zip.namelist(): found[name + '/' + member] = added_up(zip.read(member).decode('latin-1'))
    elif name.endswith('.fec'): found[name] = added_up(open(path, encoding='latin-1', newline='').read())
print(json.dumps({name: sums for name, sums in found.items() if sums}))`;
  return JSON.parse(execFileSync('python3', ['-c', program, FOLDER], { encoding: 'utf8' })) as ReturnType<
    typeof recounted
  >;
}

/** What the forms state more than the rows add up to, in cents, and why. */
const DIFFERENCES = {
  '1385191.fec': { itemized: 519_156_400, refunds: 11_101_894 }, // the copy ends behind its form and loans
  'F3P-newt2012-2012M4.fec': { itemized: 0, refunds: 309_500 }, // refunds of 200 dollars or less need no row
};

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

  it('names have the titles of their own column, and of the column of all parts', async () => {
    const decided = async (name: string, filer: string) => {
      const { items, records } = await readToEnd(name, '', [filer]);
      const titles = items.filter(({ firstName, prefix }) => firstName !== '' && /^(?:MRS?|MS|MISS)\.?$/i.test(prefix));
      return [titles.length, records.filter((cells) => donorName(cells[7], cells[6]).titleGender !== null).length];
    };
    expect(await decided('F3P-newt2012-2012M4.fec', '')).toEqual([3308, 3308]);
    // Six rows have the suffix RPH, which the name rules do not know, behind MISS.
    expect(await decided('27789.fec', 'C00097485')).toEqual([2214, 2208]);
  });

  it('a report with a form only states what is missing', async () => {
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

  it('version 3.00 has commas, and names in one column', async () => {
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

  it('version 2.02 has a header block that counts the lines, and names joined by ^', async () => {
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

  it('have rows to import for committees that are linked to a candidate', async () => {
    const { records } = await readToEnd('27789.fec', '27789', ['C00097485']);
    expect(records).toHaveLength(2627);
    expect(records[0].slice(0, 6)).toEqual(['C00097485', 'A', 'YE', '', '', '15']);
    expect(records[0].slice(13, 18)).toEqual(['08012001', '20.00', '', 'R103544', '27789']);
  });
});

describeWith('official data', 'python3')('all official filings', () => {
  it('add up to their forms to the cent, as an independent program confirms, except for explained differences', async () => {
    const recount = recounted();
    const differences: Record<string, object> = {};
    const forms = new Set<string>();
    const compare = (name: string, form: string, sums: Reconciliation): void => {
      forms.add(form.replace(/[NAT]$/, ''));
      expect([name, Object.fromEntries(SUMS.map((key) => [key, sums[key]]))]).toEqual([name, recount[name]]);
      expect([name, sums.unreadAmounts]).toEqual([name, 0]);
      const { itemizedDifferenceCents: itemized, refundDifferenceCents: refunds } = sums;
      if (itemized !== 0 || refunds !== 0) differences[name] = { itemized, refunds };
    };
    for (const file of readdirSync(FOLDER))
      await eachFiling(join(FOLDER, file), file, async (one) => {
        const { isRead, cover, reconciliation } = await readFiling(one.pieces());
        if (isRead) compare(one.source, cover.form, reconciliation);
        else expect([one.source, cover.form]).toEqual([one.source, expect.not.stringMatching(/^F3[PX]/)]);
      });
    expect([...forms]).toEqual(expect.arrayContaining(['F3P', 'F3X']));
    expect(differences).toEqual(DIFFERENCES);
  });
});
