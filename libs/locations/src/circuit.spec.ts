import { CLOSED, type Circuit, circuitOf, circuitStatus, nextTryAt, recordFailure } from './circuit';

/** The circuit as it is stored after so many failures in a row. */
function storedAfter(failures: number, now = 0): Circuit | null {
  let circuit: Circuit | null = null;
  for (let n = 0; n < failures; n++) circuit = recordFailure(circuit, String(n), now);
  return circuitOf(JSON.parse(JSON.stringify(circuit)));
}
const at = (ms: number): Date => new Date(ms);

describe('the stored circuit', () => {
  it('has a versioned shape; another shape counts as a new circuit', () => {
    expect(storedAfter(1)).toEqual({ version: 1, openedAt: null, failedCalls: ['0'] });
    expect(storedAfter(5, 1_000)).toEqual({ version: 1, openedAt: 1_000, failedCalls: [] });
    for (const other of [null, 'open', { version: 2, openedAt: 5 }, { ownState: { value: 1, openedAt: 5 } }])
      expect(circuitOf(other)).toBeNull();
  });

  it('is closed if nothing is stored, after fewer than five failures, and after an answer', () => {
    expect(circuitStatus(null, null).circuit).toBe('closed');
    expect(circuitStatus(storedAfter(4), at(5)).circuit).toBe('closed');
    expect(circuitStatus(CLOSED, at(5)).circuit).toBe('closed');
    expect(nextTryAt(circuitStatus(storedAfter(4), null), at(0))).toBeNull();
  });

  it('is open after five failures, and probed 30 s later', () => {
    const circuit = circuitStatus(storedAfter(5, 1_000), at(0));
    expect(circuit).toMatchObject({ circuit: 'open', openedAt: 1_000 });
    expect(nextTryAt(circuit, at(1_000))).toEqual(at(31_000));
  });

  it('stays open after a failed probe, and counts from zero after an answer', () => {
    const open = storedAfter(5, 1_000);
    expect(circuitStatus(recordFailure(open, 'probe', 40_000), null)).toMatchObject({
      circuit: 'open',
      openedAt: 40_000,
    });
    expect(circuitStatus(recordFailure(CLOSED, 'next', 50_000), null).circuit).toBe('closed');
  });

  const open = { ...CLOSED, openedAt: 100_000 };

  it('is probing from the start of a call until it fails', () => {
    expect(circuitStatus(open, at(99_999)).circuit).toBe('open');
    expect(circuitStatus(open, at(131_000)).circuit).toBe('probing');
    expect(circuitStatus({ ...open, openedAt: 132_000 }, at(131_000)).circuit).toBe('open');
  });

  it('is probed again 30 s after the last probe, and at once afterwards', () => {
    expect(nextTryAt(circuitStatus(open, at(131_000)), at(140_000))).toEqual(at(161_000));
    expect(nextTryAt(circuitStatus(open, null), at(140_000))).toBeNull();
  });
});
