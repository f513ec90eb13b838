import fc from 'fast-check';
import { civilDay } from '@donorlens/primitives';
import { COUNT_REASONS, type CountedRow, type Counting, countingOf, isCopyOf, isForwarded } from './counting';

const GIFT: CountedRow = {
  transactionType: '15',
  entityType: 'IND',
  memoCode: '',
  memoText: '',
  otherId: '',
  isKeptForFiler: false,
  line: '',
  amountCents: 25_000,
  hasDate: true,
  hasName: true,
};

/** @returns reason, money in cents, whether the row makes a donor, earmark */
function counted(changed: Partial<CountedRow>): readonly [string, number, boolean, number] {
  const { reason, moneyCents, countsDonor, earmark } = countingOf({ ...GIFT, ...changed });
  return [reason, moneyCents, countsDonor, earmark];
}

describe('the counting of a contribution', () => {
  it('counts a gift as money and as a donor', () => {
    expect(countingOf(GIFT)).toEqual<Counting>({
      countsMoney: true,
      countsDonor: true,
      reason: 'gift',
      moneyCents: 25_000,
      earmark: 0,
    });
    expect(counted({ line: 'SA17A' })).toEqual(['gift', 25_000, true, 0]);
    expect(counted({ entityType: 'CAN', transactionType: '15C' })).toEqual(['gift', 25_000, true, 0]);
  });

  it('counts nothing for a memo item', () => {
    expect(countingOf({ ...GIFT, memoCode: 'X' })).toMatchObject({
      countsMoney: false,
      countsDonor: false,
      reason: 'memo',
    });
    expect(counted({ memoCode: 'X', transactionType: '22Y' })).toEqual(['memo', 0, false, 0]);
    expect(counted({ memoCode: 'X', entityType: 'PAC', memoText: 'EARMARKED GIFTS BELOW' })).toEqual([
      'memo',
      0,
      false,
      0,
    ]);
  });

  it('applies each rule to all its transaction types, and not to texts that only contain such a type', () => {
    for (const type of ['10J', '11J', '15J', '30J', '31J', '32J'])
      expect(counted({ memoCode: 'x', transactionType: type })).toEqual(['joint_fundraising_memo', 0, true, 0]);
    for (const type of ['15E', '30E', '31E', '32E'])
      expect(counted({ transactionType: type })).toEqual(['earmark', 25_000, true, 1]);
    for (const type of ['20Y', '21Y', '22Y']) expect(counted({ transactionType: type })[0]).toBe('refund');
    for (const type of ['122Y', '22YX']) expect(counted({ transactionType: type })[0]).toBe('gift');
    for (const id of ['XC00000001', 'C000000012']) expect(isForwarded('24T', id)).toBe(false);
    expect(counted({ memoCode: 'x' })[0]).toBe('memo');
  });

  it('counts an individual’s memo item under a joint fundraiser’s transfer as a donor without money', () => {
    const memo = { memoCode: 'X', transactionType: '15J' };
    expect(countingOf({ ...GIFT, ...memo })).toMatchObject({ countsMoney: false, reason: 'joint_fundraising_memo' });
    expect(counted(memo)).toEqual(['joint_fundraising_memo', 0, true, 0]);
    expect(counted({ memoCode: 'X', line: 'SA18' })).toEqual(['joint_fundraising_memo', 0, true, 0]);
    expect(counted({ ...memo, transactionType: '31J' })[0]).toBe('joint_fundraising_memo');
    expect(counted({ ...memo, memoCode: '' })).toEqual(['gift', 25_000, true, 0]);
  });

  it('treats a joint fundraiser’s memo item that cannot make a donor as a plain memo item', () => {
    const memo = { memoCode: 'X', transactionType: '15J' };
    for (const lacking of [
      { entityType: 'PAC' },
      { hasName: false },
      { hasDate: false },
      { amountCents: -100 },
      { amountCents: 0 },
    ])
      expect(counted({ ...memo, ...lacking })).toEqual(['memo', 0, false, 0]);
  });

  it('subtracts a refund from money and adds a negative refund, such as a void check; neither makes a donor', () => {
    expect(counted({ transactionType: '22Y' })).toEqual(['refund', -25_000, false, 0]);
    expect(counted({ transactionType: '22Y', amountCents: -25_000 })).toEqual(['refund', 25_000, false, 0]);
    expect(counted({ line: 'SB28A', transactionType: '22Y', amountCents: -1 })).toEqual(['refund', 1, false, 0]);
    expect(counted({ transactionType: '20Y', amountCents: 0 })).toEqual(['refund', 0, false, 0]);
    expect(counted({ line: 'SB28A', transactionType: '' })).toEqual(['refund', -25_000, false, 0]);
    expect(counted({ transactionType: '22Z' })[0]).toBe('gift');
  });

  it('subtracts a negative row from money and ignores a zero row; neither makes a donor', () => {
    expect(counted({ amountCents: -25_000 })).toEqual(['negative', -25_000, false, 0]);
    expect(countingOf({ ...GIFT, amountCents: 0 })).toMatchObject({
      countsMoney: false,
      reason: 'zero',
      moneyCents: 0,
    });
  });

  it('counts rows of organizations, without a name or without a date as money but not as donors', () => {
    for (const entityType of ['ORG', 'PAC', 'COM', 'CCM', 'PTY', ''])
      expect(counted({ entityType })).toEqual(['not_individual', 25_000, false, 0]);
    expect(counted({ hasName: false })).toEqual(['no_name', 25_000, false, 0]);
    expect(counted({ hasDate: false })).toEqual(['no_date', 25_000, false, 0]);
    expect(counted({ hasDate: false, hasName: false, entityType: 'ORG' })[0]).toBe('not_individual');
  });

  it('counts an earmarked gift at its recipient committee, identified by transaction type or memo text', () => {
    expect(counted({ transactionType: '15E' })).toEqual(['earmark', 25_000, true, 1]);
    for (const memoText of ['* EARMARKED CONTRIBUTION: SEE BELOW', 'Earmk via X', 'ermk'])
      expect(counted({ memoText })).toEqual(['earmark', 25_000, true, 1]);
    expect(counted({ memoText: 'MARKED DOWN' })[3]).toBe(0);
  });

  it('counts a conduit’s row as money and as a donor until it is matched with a gift', () => {
    expect(counted({ transactionType: '24T', otherId: 'C99900001' })).toEqual(['conduit_copy', 25_000, true, 2]);
    expect(counted({ transactionType: '24I', otherId: 'C99900001', memoText: 'EARMARK' })).toEqual([
      'conduit_copy',
      25_000,
      true,
      2,
    ]);
    expect(counted({ transactionType: '24T', otherId: '' })[3]).toBe(0);
    expect(counted({ transactionType: '15', otherId: 'C99900001' })[3]).toBe(0);
  });

  it('does not count a row as a gift to its filer if the filer forwards the gift to another committee', () => {
    for (const transactionType of ['24T', '24I'])
      expect(counted({ transactionType, otherId: 'C99900001', isKeptForFiler: true })).toEqual([
        'earmark_copy',
        0,
        false,
        0,
      ]);
    expect(counted({ transactionType: '24T', isKeptForFiler: true })).toEqual(['gift', 25_000, true, 0]);
    expect(counted({ transactionType: '15E', otherId: 'C99900001', isKeptForFiler: true })[0]).toBe('earmark');
  });

  it('gives the reason why an earmarked row makes no donor, and keeps its earmark', () => {
    expect(counted({ transactionType: '15E', hasName: false })).toEqual(['no_name', 25_000, false, 1]);
    expect(counted({ transactionType: '15E', hasDate: false })).toEqual(['no_date', 25_000, false, 1]);
    expect(counted({ transactionType: '15E', amountCents: -500 })).toEqual(['negative', -500, false, 1]);
    expect(counted({ transactionType: '24T', otherId: 'C99900001', entityType: 'ORG' })).toEqual([
      'not_individual',
      25_000,
      false,
      2,
    ]);
  });

  it('recognizes gifts that a conduit forwards to another committee', () => {
    expect([isForwarded('24T', 'C99900001'), isForwarded('24I', 'C99900001')]).toEqual([true, true]);
    expect([isForwarded('24T', 'P99900001'), isForwarded('24K', 'C99900001'), isForwarded('15', '')]).toEqual([
      false,
      false,
      false,
    ]);
  });

  it('keeps the order of reasons, because the database stores their index', () => {
    expect(COUNT_REASONS).toEqual([
      ...[
        'gift',
        'memo',
        'joint_fundraising_memo',
        'refund',
        'negative',
        'zero',
        'not_individual',
        'no_name',
        'no_date',
      ],
      ...['earmark', 'conduit_copy', 'earmark_copy'],
    ]);
  });

  it('requires name, date and a positive amount for a donor, and adds no money for rows that do not count', () => {
    const row: fc.Arbitrary<CountedRow> = fc.record({
      transactionType: fc.constantFrom('10', '11', '15', '15C', '15E', '15J', '20Y', '22Y', '24I', '24T', ''),
      entityType: fc.constantFrom('IND', 'CAN', 'ORG', 'PAC', ''),
      memoCode: fc.constantFrom('', 'X'),
      memoText: fc.constantFrom('', 'EARMARKED', 'REATTRIBUTION'),
      otherId: fc.constantFrom('', 'C99900001'),
      isKeptForFiler: fc.boolean(),
      line: fc.constantFrom('', 'SA17A', 'SA18', 'SB28A', 'SA11AI'),
      amountCents: fc.integer({ min: -1000, max: 1000 }),
      hasDate: fc.boolean(),
      hasName: fc.boolean(),
    });
    fc.assert(
      fc.property(row, (given) => {
        const counting = countingOf(given);
        if (counting.countsDonor)
          expect([given.hasName, given.hasDate, given.amountCents > 0]).toEqual([true, true, true]);
        if (!counting.countsMoney) expect(counting.moneyCents).toBe(0);
        else expect(Math.abs(counting.moneyCents)).toBe(Math.abs(given.amountCents));
        expect(Object.is(counting.moneyCents, -0)).toBe(false);
      }),
    );
  });
});

describe('a conduit’s copy', () => {
  const gift = { cents: 2500, day: civilDay(2020, 2, 29) };

  it('has the same amount as the gift and a date at most ten days from it', () => {
    expect(isCopyOf({ cents: 2500, day: civilDay(2020, 2, 29) }, gift)).toBe(true);
    expect(isCopyOf({ cents: 2500, day: civilDay(2020, 3, 10) }, gift)).toBe(true);
    expect(isCopyOf({ cents: 2500, day: civilDay(2020, 2, 19) }, gift)).toBe(true);
    expect(isCopyOf({ cents: 2500, day: civilDay(2020, 3, 11) }, gift)).toBe(false);
    expect(isCopyOf({ cents: 2500, day: civilDay(2020, 2, 18) }, gift)).toBe(false);
    expect(isCopyOf({ cents: 2501, day: gift.day }, gift)).toBe(false);
  });

  it('always has a date', () => {
    expect(isCopyOf({ cents: 2500, day: NaN }, gift)).toBe(false);
  });
});
