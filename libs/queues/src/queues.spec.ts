import { QueueAwayError, withQueueTimeout } from './queue-away-error';
import { ErrorLog } from './error-log';
import { jobId } from './queues';
import { checkFacts, redisFacts } from './redis-check';

const BATCH = '0b0f6f5e-7d0c-4a41-8f5e-2f4b8f1f6a11';

describe('job ids', () => {
  it('are the same for the same chunk or call, and contain no colon', () => {
    expect(jobId('enrich-chunk', { batchId: BATCH, seq: 7 })).toBe(`enrich-chunk.${BATCH}.7`);
    expect(jobId('geocode-call', { callId: '12' })).toBe('geocode-call.12');
  });
});

describe('a call to the queue', () => {
  it('returns its result', async () => {
    await expect(withQueueTimeout(50, 'add', Promise.resolve(3))).resolves.toBe(3);
  });

  it('fails without an answer', async () => {
    await expect(withQueueTimeout(10, 'add', new Promise(() => undefined))).rejects.toEqual(
      new QueueAwayError('add: no answer within 10 ms'),
    );
  });
});

describe('errors of the queue', () => {
  const lines: { fields: { code: string; leftOut: number }; message: string }[] = [];
  let now = 0;
  const logger = { warn: (fields: never, message: string) => lines.push({ fields, message }) };
  const errors = new ErrorLog(logger as never, 'queue', () => now);

  it('are logged once per code and 30 s, with the number of suppressed ones', () => {
    const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    for (let i = 0; i < 1000; i++) errors.report(refused);
    errors.report(new Error('OOM command not allowed'));
    expect(lines.map(({ fields }) => fields)).toEqual([
      { code: 'ECONNREFUSED', leftOut: 0 },
      { code: 'OOM', leftOut: 0 },
    ]);
    now = 29_999;
    errors.report(refused);
    expect(lines).toHaveLength(2);
    now = 30_000;
    errors.report(refused);
    expect(lines.at(-1)).toEqual({
      fields: { code: 'ECONNREFUSED', leftOut: 1000 },
      message: 'queue: connect ECONNREFUSED',
    });
  });

  it('are logged with the ids of the job', () => {
    errors.report(new RangeError('too long'), { job: 'enrich-chunk', batchId: 'b', chunk: 3 });
    const ids = { job: 'enrich-chunk', batchId: 'b', chunk: 3 };
    expect(lines.at(-1)).toEqual({ fields: { ...ids, code: 'RangeError', leftOut: 0 }, message: 'queue: too long' });
  });

  it('count as one while a server is away, for any code', () => {
    const before = lines.length;
    now = 100_000;
    for (const code of ['57P01', 'ECONNRESET', 'ECONNREFUSED', '57P03'])
      errors.report(Object.assign(new Error(`it says ${code}`), { code }));
    errors.report(new Error('Connection terminated unexpectedly'));
    errors.report(Object.assign(new Error('a value is missing'), { code: '23502' }));
    expect(lines.slice(before).map(({ fields }) => fields)).toEqual([
      { code: '57P01', leftOut: 0 },
      { code: '23502', leftOut: 0 },
    ]);
  });
});

describe('a Redis', () => {
  const info = (version: string, policy: string) => `redis_version:${version}\r\nmaxmemory_policy:${policy}\r\n`;

  it('is rejected if it may evict keys', () => {
    expect(() => checkFacts(redisFacts(info('7.0.15', 'allkeys-lru')))).toThrow(
      /allkeys-lru.*redis-cli config set maxmemory-policy noeviction/,
    );
  });

  it('is rejected if it is older than 6.2', () => {
    expect(() => checkFacts(redisFacts(info('6.0.16', 'noeviction')))).toThrow('6.0.16');
  });

  it('is accepted with noeviction or without a stated policy', () => {
    expect(() => checkFacts(redisFacts(info('6.2.0', 'noeviction')))).not.toThrow();
    expect(() => checkFacts(redisFacts('redis_mode:standalone\r\n'))).not.toThrow();
  });
});
