import { SendError } from './post';
import { RETRY_DELAYS_MS, deliveryResult } from './delivery-result';

const NOW = new Date('2026-11-20T12:00:00Z');
const answer = (status: number, retryAfter: string | null = null) => ({ status, retryAfter });
const result = (status: number, attempts = 1, retryAfter: string | null = null, random = 0) =>
  deliveryResult(answer(status, retryAfter), attempts, NOW, random);

describe('the result of a delivery', () => {
  it('is delivered by any 2xx', () => {
    for (const status of [200, 201, 202, 204])
      expect(result(status)).toEqual({ state: 'delivered', status, error: null, waitMs: 0 });
  });

  it('is retried after any other answer, also a redirect, which is not followed', () => {
    for (const status of [301, 307, 400, 404, 429, 500, 503])
      expect(result(status)).toEqual({ state: 'pending', status, error: 'refused', waitMs: 5_000 });
    expect(deliveryResult(new SendError('timeout'), 1, NOW, 0)).toEqual({
      state: 'pending',
      status: null,
      error: 'timeout',
      waitMs: 5_000,
    });
  });

  it('is tried ten times in three days, then fails', () => {
    expect(RETRY_DELAYS_MS).toHaveLength(9);
    expect(RETRY_DELAYS_MS.reduce((sum, ms) => sum + ms) / 3_600_000).toBeCloseTo(75.6, 1);
    expect(result(500, 9).state).toBe('pending');
    expect(result(500, 10)).toMatchObject({ state: 'failed', error: 'refused' });
  });

  it('fails at once if the receiver answers 410', () => {
    expect(result(410)).toEqual({ state: 'failed', status: 410, error: 'gone', waitMs: 0 });
  });

  it('waits for a Retry-After, at most a day, and never less than planned', () => {
    expect(result(503, 1, '120').waitMs).toBe(120_000);
    expect(result(503, 1, 'Fri, 20 Nov 2026 12:10:00 GMT').waitMs).toBe(600_000);
    expect(result(503, 1, '99999999').waitMs).toBe(86_400_000);
    expect(result(503, 1, 'Fri, 20 Nov 2020 12:10:00 GMT').waitMs).toBe(5_000);
    expect(result(503, 1, 'soon').waitMs).toBe(5_000);
    expect(result(503, 2, '1').waitMs).toBe(300_000);
  });

  it('is spread by up to a fifth, so that simultaneous failures are not retried together', () => {
    expect(result(500, 2, null, 0.5).waitMs).toBe(330_000);
    expect(result(500, 2, null, 1).waitMs).toBe(360_000);
  });
});
