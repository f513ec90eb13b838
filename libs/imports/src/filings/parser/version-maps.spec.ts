import { type ItemColumns, versionMap } from './version-maps';

const used = (columns: ItemColumns): number[] => [
  columns.transactionId,
  columns.entityType,
  columns.name,
  columns.organization,
  ...(columns.lastName === 0 ? [] : [0, 1, 2, 3, 4].map((n) => columns.lastName + n)),
  ...[0, 1, 2, 3, 4].map((n) => columns.street1 + n),
  columns.electionCode,
  columns.date,
  columns.amount,
  columns.purpose,
  columns.employer,
  columns.occupation,
  columns.otherCommittee,
  columns.memoCode,
  columns.memoText,
];

describe('versionMap', () => {
  // Columns of a receipt and of a disbursement in the FEC's own tables; the text of the memo is the one before the last.
  it.each([
    ['8.0', 45, 44],
    ['8.5', 45, 44],
    ['7.0', 46, 45],
    ['6.4', 46, 45],
    ['6.3', 47, 46],
    ['6.2', 47, 46],
    ['6.1', 46, 45],
  ])('version %s has %d and %d columns', (version, receipt, disbursement) => {
    const map = versionMap(version);
    expect([map?.receipt.memoText, map?.disbursement.memoText]).toEqual([receipt - 1, disbursement - 1]);
    expect([map?.receipt.memoCode, map?.disbursement.memoCode]).toEqual([receipt - 2, disbursement - 2]);
  });

  it.each(['8.3', '7.0', '6.4', '6.2', '6.1', '5.3', '5.0', '3.00', '2.02', '1.00'])(
    'no column of version %s is read twice',
    (version) => {
      const map = versionMap(version);
      for (const columns of map ? [map.receipt, map.disbursement] : []) {
        const there = used(columns).filter((column) => column > 0);
        expect(new Set(there).size).toBe(there.length);
      }
      expect(map).not.toBeNull();
    },
  );

  it('version 1 has no entity type, and all later columns one column earlier', () => {
    const [one, two] = [versionMap('1.01'), versionMap('2.02')];
    expect(one?.receipt).toMatchObject({ entityType: 0, transactionId: 0, name: 3, street1: 4, date: 14, amount: 15 });
    expect(one?.receipt).toMatchObject({ employer: 11, occupation: 12, memoCode: 30, memoText: 31 });
    expect(one?.disbursement).toMatchObject({ name: 3, street1: 4, purpose: 10, date: 13, amount: 14, memoCode: 27 });
    expect(two?.receipt).toMatchObject({ entityType: 3, transactionId: 34, name: 4, date: 15, amount: 16 });
  });

  // Lines 11(a)(i) and 20(a) of form F3 in the same tables.
  it.each([
    ['8.3', 17, 33, 52],
    ['6.4', 17, 33, 52],
    ['6.3', 17, 40, 59],
    ['5.3', 21, 31, 50],
    ['3.00', 21, 31, 50],
  ])(
    'form F3 of version %s ends its period in column %d and has its sums from %d to %d',
    (version, to, first, last) => {
      const cover = versionMap(version)?.cover.F3;
      expect(cover).toMatchObject({ reportCode: 12, coverageFrom: to - 1, coverageTo: to, refunds: last });
      expect([cover?.itemized, cover?.unitemized, cover?.individuals]).toEqual([first, first + 1, first + 2]);
    },
  );

  it.each(['8.6', '6.0', '5.4', '4.0', '', 'P3.4', '8.3.1', '83'])('returns null for %j', (version) => {
    expect(versionMap(version)).toBeNull();
  });
});
