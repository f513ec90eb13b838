import fc from 'fast-check';
import { filingText, receipt, refund } from '../../../../../test/support/fec-data/filings';
import { type FiledItem, FilingError, type FilingSummary } from './filing';
import { readFiling } from './read-filing';

async function* piecesOf(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield await Promise.resolve(bytes.subarray(at, at + size));
}

async function read(
  text: string | Buffer,
  pieceBytes = 64 * 1024,
): Promise<{ summary: FilingSummary; items: FiledItem[] }> {
  const items: FiledItem[] = [];
  const summary = await readFiling(piecesOf(Buffer.from(text), pieceBytes), {
    item: (item) => item !== null && items.push(item),
  });
  return { summary, items };
}

const failure = (text: string | Buffer): Promise<unknown> =>
  read(text).then(
    () => null,
    (error: unknown) => (error instanceof FilingError ? error.code : error),
  );

const REPORT = filingText({
  cover: { 35: '75.50', 36: '200.00', 37: '275.50', 59: '10.00' },
  items: [
    receipt('SA17A', 'A1'),
    receipt('SA17A', 'A2', { 21: '25.50', 44: '* Earmarked contribution' }),
    receipt('SA17A', 'A3', { 21: '-20.00', 43: 'X' }),
    receipt('SB23', 'B1'),
    refund('R1', { 21: '10.00' }),
  ],
});

describe('readFiling', () => {
  it('returns header, form, items and their sums', async () => {
    const { summary, items } = await read(REPORT);
    expect(summary.header).toEqual({ version: '8.3', amends: null, amendment: 0 });
    expect(summary.cover).toMatchObject({ form: 'F3PN', filer: 'C00001000', reportCode: 'M4' });
    expect(summary.lineCounts).toEqual({ SA17A: 3, SB23: 1, SB28A: 1 });
    expect(summary.reconciliation).toMatchObject({
      itemizedRows: 2,
      itemizedCents: 7550,
      itemizedSummaryCents: 7550,
      itemizedDifferenceCents: 0,
      unitemizedCents: 20_000,
      refundRows: 1,
      refundCents: 1000,
      refundDifferenceCents: 0,
      memoRows: 1,
    });
    expect(summary.reconciliation.unitemizedShare).toBeCloseTo(200 / 275.5);
    expect(items.map(({ line, transactionId }) => `${line} ${transactionId}`)).toEqual([
      'SA17A A1',
      'SA17A A2',
      'SA17A A3',
      'SB28A R1',
    ]);
    expect(items[0]).toMatchObject({
      lastName: 'SAMPLE',
      firstName: 'JENNIFER',
      street1: '1 ELM ST',
      zip: '627010000',
    });
  });

  it('has the same result for any pieces of the stream', async () => {
    const whole = await read(REPORT);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 2000 }), async (size) => {
        expect(await read(REPORT, size)).toEqual(whole);
      }),
      { numRuns: 40 },
    );
  });

  it('returns the difference of rows and form', async () => {
    const { summary } = await read(filingText({ cover: { 35: '100.00' }, items: [receipt('SA17A', 'A1')] }));
    expect(summary.reconciliation.itemizedDifferenceCents).toBe(5000);
  });

  it('returns what an amendment amends', async () => {
    const { summary } = await read(filingText({ form: 'F3PA', amends: ['FEC-0001000', 2] }));
    expect(summary.header).toEqual({ version: '8.3', amends: '1000', amendment: 2 });
  });

  it('removes quotes, decodes each line separately, and replaces control characters by blanks', async () => {
    const cells = receipt('SA17A', 'A1', { 8: '"NUÑEZ"', 24: 'SIGN "A" SHOP', 25: 'TEA\tCHER' });
    const utf8 = Buffer.from(filingText({ items: [cells] }));
    const latin1 = Buffer.from(`${receipt('SA17A', 'A2', { 8: 'MUÑOZ' }).join('\x1c')}\r\n`, 'latin1');
    const { items } = await read(Buffer.concat([utf8, latin1]));
    expect(items.map(({ lastName }) => lastName)).toEqual(['NUÑEZ', 'MUÑOZ']);
    expect(items[0]).toMatchObject({ employer: 'SIGN "A" SHOP', occupation: 'TEA CHER' });
  });

  it('reads names in one column, with parts and without', async () => {
    const line = (name: string, id: string): string =>
      ['SA17A', 'C00001000', 'IND', name, '1 Elm St, Apt 2', '', 'Springfield', 'IL', '62701', 'P2000', '', '', '']
        .concat(['', '20000105', '50.00', '', '', '', '', '', '', '', '', '', '', '', '', '', '', '', '', 'A', id])
        .map((cell) => `"${cell}"`)
        .join(',');
    const cover = Array.from({ length: 200 }, (_, i) => ({ 0: 'F3PN', 1: 'C00001000', 28: '50.00' })[i] ?? '');
    const text = ['"HDR","FEC","3.00","TEST","1","^","","",""', cover.join(','), line('Sample^Ann B^Mrs.^Jr.', 'T1')]
      .concat(line('The ""Elm"" Club', 'T2'))
      .join('\n');
    const { summary, items } = await read(`${text}\n`);
    expect(summary.header.version).toBe('3.00');
    expect(items[0]).toMatchObject({
      lastName: 'Sample',
      firstName: 'Ann B',
      prefix: 'Mrs.',
      suffix: 'Jr.',
      street1: '1 Elm St, Apt 2',
    });
    expect(items[1]).toMatchObject({ lastName: '', organization: 'The "Elm" Club', transactionId: 'T2' });
    // Without a line of its own, what is not itemized is what the rows leave of all gifts.
    expect(summary.reconciliation).toMatchObject({
      itemizedCents: 10_000,
      itemizedSummaryCents: null,
      unitemizedCents: -5000,
    });
  });

  it('reads version, amended filing and name delimiter of a header block', async () => {
    const block = '/* Header\nFEC_Ver_# = 1.00\nPassword = 123\nNameDelim = ~\nRpt_ID = FEC-77\n/* End Header\n';
    const cover = Array.from({ length: 200 }, (_, i) => ({ 0: 'F3PA', 1: 'C00001000' })[i] ?? '').join(',');
    const item = 'SA17A,C00001000,Sample~Ann,1 Elm St,,Springfield,IL,62701,,,Self,Teacher,,20000105,50.00';
    const { summary, items } = await read(`${block}${cover}\n${item}\n`);
    expect(summary.header).toEqual({ version: '1.00', amends: '77', amendment: 1 });
    expect(items).toMatchObject([{ lastName: 'Sample', firstName: 'Ann', entityType: 'IND', amount: '50.00' }]);
  });

  it.each(['7.0', '6.4', '6.3', '6.2', '6.1', '5.3', '5.00', '3.00', '2.02', '1.00', '8.0', '8.5'])(
    'knows version %s',
    async (version) => {
      await expect(read(filingText({ version }))).resolves.toMatchObject({ summary: { isRead: true } });
    },
  );

  describe('rejects', () => {
    it.each(['9.0', '8.6', '4.0', 'P3.4', ''])('version "%s"', async (version) => {
      expect(await failure(filingText({ version }))).toBe('filing_version');
    });

    it('a filing on paper', async () => {
      expect(await failure(REPORT.replace('HDR\x1cFEC\x1c8.3', 'HDR\x1cP3.4'))).toBe('filing_version');
    });

    it.each(['', 'C00001000|N|M4\n', '<html></html>\n', '/* Header\nSoft_Name = X\n/* End Header\n', 'HDR\n'])(
      'what does not begin as a filing: %j',
      async (text) => {
        expect(await failure(text)).toBe('filing_header');
      },
    );

    it('a filing that ends before its form, or in it', async () => {
      const [header, cover] = REPORT.split('\n');
      expect(await failure(`${header}\n`)).toBe('filing_cut');
      expect(await failure(`${header}\n${cover.slice(0, 60)}\n`)).toBe('filing_cut');
      expect(await failure(`${header}\n${cover.slice(0, 60)}`)).toBe('filing_cut');
    });

    it('a filing that is truncated in its last line', async () => {
      const end = REPORT.lastIndexOf('\n', REPORT.length - 2);
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: end + 2, max: REPORT.length - 2 }), async (length) => {
          expect(await failure(REPORT.slice(0, length))).toBe('filing_cut');
        }),
        { numRuns: 30 },
      );
    });

    it('fewer lines than its header counts', async () => {
      const block = '/* Header\nFEC_Ver_# = 2.02\nSchedule_Counts:\nSA17A = 00002\n/* End Header\n';
      const cover = Array.from({ length: 200 }, (_, i) => ({ 0: 'F3PN', 1: 'C00001000' })[i] ?? '').join(',');
      expect(await failure(`${block}${cover}\nSA17A,C00001000,IND\n`)).toBe('filing_cut');
    });

    it('amounts without decimal points', async () => {
      const block = '/* Header\nFEC_Ver_# = 2.02\nDec/NoDec = NODEC\n/* End Header\n';
      expect(await failure(`${block}F3PN,C00001000\n`)).toBe('filing_version');
    });

    it('a line that never ends', async () => {
      expect(await failure(Buffer.concat([Buffer.from(REPORT), Buffer.alloc(1_100_000, 65)]))).toBe('filing_layout');
    });

    it('a form without a filer', async () => {
      expect(await failure(filingText({ filer: 'DONOR' }))).toBe('filing_layout');
    });
  });

  it('accepts a last line without a line end if it has all columns', async () => {
    const { summary } = await read(
      filingText({ items: [receipt('SA17A', 'A1'), receipt('SA17A', 'A2')] }).slice(0, -1),
    );
    expect(summary.reconciliation.itemizedRows).toBe(2);
  });

  it.each([
    ['the only one of its kind', [receipt('SA17A', 'A1')]],
    ['of another kind of the same schedule', [receipt('SA17A', 'A1'), receipt('SA18', 'A2')]],
    ['a refund behind receipts', [receipt('SA17A', 'A1'), refund('R1')]],
  ])('accepts it for %s, but not with one column less', async (_, items) => {
    const text = filingText({ items }).slice(0, -1);
    expect((await read(text)).items).toHaveLength(items.length);
    expect(await failure(text.slice(0, -1))).toBe('filing_cut');
  });

  it('reads nothing after a form without such gifts, in any version', async () => {
    const { summary, items } = await read(
      filingText({ form: 'F3LN', version: '9.9', items: [receipt('SA11AI', 'A1')] }),
    );
    expect(summary).toMatchObject({ isRead: false, cover: { form: 'F3LN' } });
    expect(items).toEqual([]);
  });

  it('counts lines with an unreadable amount separately', async () => {
    const items = [receipt('SA17A', 'A1', { 21: '1e3' }), receipt('SA17A', 'A2').slice(0, 12), receipt('SA17A', 'A3')];
    const { summary } = await read(filingText({ items }));
    expect(summary.reconciliation).toMatchObject({ itemizedRows: 1, unreadAmounts: 2 });
  });

  it('reads a filing of any size with constant memory', async () => {
    const line = `${receipt('SA17A', 'A1').join('\x1c')}\n`;
    async function* endless(): AsyncGenerator<Buffer> {
      yield await Promise.resolve(Buffer.from(filingText()));
      for (let n = 0; n < 200_000; n += 500) yield Buffer.from(line.repeat(500));
    }
    let most = 0;
    const before = process.memoryUsage().heapUsed;
    const { reconciliation, lineCounts } = await readFiling(endless(), {
      pieceRead: () => {
        most = Math.max(most, process.memoryUsage().heapUsed - before);
      },
    });
    expect(lineCounts.SA17A).toBe(200_000);
    expect(reconciliation.itemizedCents).toBe(200_000 * 5000);
    expect(most).toBeLessThan(150 * 1024 ** 2);
  });
});
