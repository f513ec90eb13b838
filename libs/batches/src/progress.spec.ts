import { type Batch } from './batch';
import { progressOf } from './progress';

const at = (seconds: number): Date => new Date(1_000_000 + seconds * 1000);
const batch = (done: number, more: Partial<Batch> = {}): Batch =>
  ({
    rowsTotal: 1000,
    tally: { ok: done, partial: 0, not_found: 0, invalid: 0, failed: 0 },
    startedAt: at(0),
    finishedAt: null,
    ...more,
  }) as Batch;

describe('progress of a batch', () => {
  it('is rows done in the time since its first chunk, and what is left at that rate', () => {
    expect(progressOf(batch(250), at(5))).toEqual({
      rowsDone: 250,
      rowsTotal: 1000,
      rowsPerSecond: 50,
      etaSeconds: 15,
    });
  });

  it('has no rate before there is one', () => {
    expect(progressOf(batch(0, { startedAt: null }), at(5))).toMatchObject({ rowsPerSecond: null, etaSeconds: null });
    expect(progressOf(batch(0), at(5))).toMatchObject({ rowsPerSecond: null, etaSeconds: null });
  });

  it('keeps its rate after the end, with nothing left to wait for', () => {
    expect(progressOf(batch(1000, { finishedAt: at(10) }), at(500))).toMatchObject({
      rowsPerSecond: 100,
      etaSeconds: 0,
    });
  });
});
