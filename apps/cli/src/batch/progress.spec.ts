import { type BatchView, exitCodeOfBatch, isFinal } from './batch-view';
import { addressText, batchLine, duration, endLines, lateLine, countsText, uploadLine, waitLine } from './progress';

const batch = (state: string, counts: Partial<BatchView['counts']>, rest: Partial<BatchView> = {}): BatchView => ({
  id: 'b',
  state,
  counts: { total: 0, done: 0, ok: 0, partial: 0, not_found: 0, invalid: 0, failed: 0, ...counts },
  ...rest,
});

describe('a line of progress', () => {
  it('contains state, rows, percentage, rate and remaining time', () => {
    const running = batch(
      'running',
      { total: 1_000_000, done: 123_456 },
      { rows_per_second: 40_000, eta_seconds: 150 },
    );
    expect(batchLine(running)).toBe('running: 123,456 of 1,000,000 rows (12 %), 40,000 rows/s, 2 min 30 s left');
  });

  it('contains the addresses if the batch has any', () => {
    const stages = { enriched: { done: 800, total: 1000 }, geocoded: { done: 250, total: 1000 } };
    const addresses = { match: 40, no_match: 7, tie: 3, skipped: 200, pending: 550 };
    const running = batch('running', { total: 1000, done: 800 }, { stages, addresses, eta_seconds: 20 });
    expect(batchLine(running)).toBe(
      'running: 800 of 1,000 rows enriched (80 %), addresses: 50 of 600 geocoded, 200 without a usable address, 20 s left',
    );
    const none = { match: 0, no_match: 0, tie: 0, skipped: 0, pending: 0 };
    expect(batchLine({ ...running, addresses: none })).toBe('running: 800 of 1,000 rows enriched (80 %), 20 s left');
    const other = batch('running', { total: 10, done: 8 }, { stages: { ...stages, geocoded: null } });
    expect(batchLine(other)).toBe('running: 8 of 10 rows (80 %)');
  });

  it('shows a slow rate with decimals, so that a few rows per minute are not shown as 0', () => {
    const slow = batch('running', { total: 10 }, { rows_per_second: 0.34 });
    expect(batchLine(slow)).toBe('running: 0 of 10 rows (0 %), 0.34 rows/s');
  });

  it('omits values that are not known yet', () => {
    expect(batchLine(batch('accepted', { total: 10 }))).toBe('accepted: 0 of 10 rows (0 %)');
  });

  it('never rounds up to 100 percent', () => {
    expect(batchLine(batch('running', { total: 1000, done: 999 }))).toContain('(99 %)');
    expect(uploadLine(1_500_000, 3_000_000)).toBe('uploaded 1.5 MB of 3.0 MB (50 %)');
    expect(uploadLine(0, 0)).toContain('100 %');
  });

  it('formats durations in seconds, minutes and hours', () => {
    expect([0.4, 59, 60, 150, 7300].map(duration)).toEqual(['0 s', '59 s', '1 min 0 s', '2 min 30 s', '2 h 1 min']);
  });
});

describe('addresses of a batch', () => {
  const stages = { enriched: { done: 9, total: 9 }, geocoded: { done: 8, total: 9 } };
  const addresses = { match: 5, no_match: 2, tie: 0, skipped: 1, pending: 1 };
  const waiting = { stages, addresses, waits_for: 'the geocoder fails' };

  it('are reported with the reason why they are pending', () => {
    expect(waitLine(batch('running', { total: 9, done: 9 }, waiting))).toBe(
      'names are done; 1 row waits for its address:\n  the geocoder fails\n  read the results so far: bin/donorlens batch results b --partial',
    );
    expect(waitLine(batch('running', { total: 9, done: 8 }, waiting))).toMatch(/^1 row waits for its address:\n/);
    expect(waitLine(batch('running', {}, { addresses: { ...addresses, pending: 0 }, waits_for: 'x' }))).toBeNull();
    expect(waitLine(batch('running', {}, { ...waiting, waits_for: null }))).toBeNull();
    expect(waitLine(batch('running', {}))).toBeNull();
    for (const state of ['completed', 'cancelled', 'expired', 'failed'])
      expect(waitLine(batch(state, {}, waiting))).toBeNull();
  });

  it('are counted by outcome', () => {
    expect(addressText(batch('running', {}, waiting))).toBe('addresses: 5 match, 2 no match, 1 skipped, 1 pending');
    expect(addressText(batch('completed', {}, waiting))).toContain('1 pending');
    expect(addressText(batch('cancelled', {}, waiting))).toContain('1 not geocoded');
    expect(addressText(batch('running', {}, { addresses, stages: { ...stages, geocoded: null } }))).toBeNull();
  });

  it('are reported as late if they are pending when the batch completes', () => {
    expect(endLines(batch('completed', { total: 9, ok: 9 }, waiting))).toEqual([
      'batch b completed, 9 rows: 9 ok; addresses: 5 match, 2 no match, 1 skipped, 1 pending',
      '1 row waits for its address:\n  the geocoder fails\n' +
        '  wait for it: bin/donorlens batch status b --wait\n  then read again: bin/donorlens batch results b',
    ]);
    expect(lateLine(batch('completed', {}, { addresses: { ...addresses, pending: 1200 } }))).toMatch(
      /^1,200 rows wait for their address:\n {2}wait for them: /,
    );
    expect(endLines(batch('cancelled', { total: 9, ok: 9 }, waiting))).toHaveLength(1);
    expect(endLines(batch('completed', { total: 9, ok: 9 }))).toEqual(['batch b completed, 9 rows: 9 ok']);
  });
});

describe('the end of a batch', () => {
  it('is reported with the counts of rows', () => {
    const done = batch('completed', { total: 10, done: 10, ok: 7, not_found: 2, invalid: 1 });
    expect(countsText(done)).toBe('10 rows: 7 ok, 2 not found, 1 invalid');
    expect(countsText(batch('cancelled', { total: 1 }))).toBe('1 row: none done');
  });

  it('has exit code 4 with invalid, failed or pending rows, 1 if the batch did not complete, and otherwise 0', () => {
    expect(exitCodeOfBatch(batch('completed', { ok: 1, not_found: 3, partial: 2 }))).toBe(0);
    expect(exitCodeOfBatch(batch('completed', { invalid: 1 }))).toBe(4);
    expect(exitCodeOfBatch(batch('completed', { failed: 1 }))).toBe(4);
    const addresses = { match: 0, no_match: 0, tie: 0, skipped: 0, pending: 1 };
    expect(exitCodeOfBatch(batch('completed', { ok: 1 }, { addresses }))).toBe(4);
    expect(exitCodeOfBatch(batch('completed', { ok: 1 }, { addresses: { ...addresses, pending: 0 } }))).toBe(0);
    expect(exitCodeOfBatch(batch('cancelled', { ok: 1 }))).toBe(1);
    expect(exitCodeOfBatch(batch('cancelled', { ok: 1 }, { addresses }))).toBe(1);
  });

  it('has four final states', () => {
    const states = ['accepted', 'running', 'cancelling', 'completed', 'cancelled', 'expired', 'failed'];
    expect(states.filter((state) => isFinal(batch(state, {})))).toEqual([
      'completed',
      'cancelled',
      'expired',
      'failed',
    ]);
  });
});
