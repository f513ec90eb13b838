import { type Logger } from '@donorlens/observability';
import { newKey } from './key-format';
import { KeyRing } from './key-ring';
import { type KeyRepository } from './key.repository';

describe('a key ring whose keys cannot be read', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('logs it once per outage', async () => {
    let isAway = false;
    const listUnrevoked = () => (isAway ? Promise.reject(new Error('away')) : Promise.resolve([]));
    const logged: string[] = [];
    const repository = {
      connect: () => Promise.resolve(),
      installationState: () => Promise.resolve('confirmed'),
      listUnrevoked,
    };
    const keys = repository as unknown as KeyRepository;
    const logger = { warn: (_: object, text: string) => logged.push(text) } as unknown as Logger;
    const copy = { read: () => Promise.resolve(null), write: () => Promise.resolve() };
    const ring = new KeyRing(keys, logger, copy, { confirmNewTimeline: false }, { answerWaitMs: 2_000 });
    await ring.onModuleInit();

    isAway = true;
    await jest.advanceTimersByTimeAsync(20_000);
    expect(logged).toEqual([
      'API keys could not be read or their use not be stored; the keys that were read last stay valid',
    ]);
    isAway = false;
    await jest.advanceTimersByTimeAsync(4_000);
    isAway = true;
    await jest.advanceTimersByTimeAsync(20_000);
    expect(logged).toHaveLength(2);
    await ring.beforeApplicationShutdown();
  });

  it('uses the copy at once if the database was away before', async () => {
    const keys = { connect: () => new Promise(() => undefined) } as unknown as KeyRepository;
    const logger = { warn: () => undefined } as unknown as Logger;
    const copy = { read: (now: number) => Promise.resolve({ credentials: [], readAt: now }), write: jest.fn() };
    const ring = new KeyRing(keys, logger, copy, { confirmNewTimeline: false }, { answerWaitMs: 0 });
    const started = ring.onModuleInit();
    await jest.advanceTimersByTimeAsync(0);
    await started;
    expect(ring.isUsable).toBe(true);
    await ring.beforeApplicationShutdown();
  });

  it('throws for keys that it cannot look up, with one query until it has read the keys again', async () => {
    const lost = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    const usableBySecret = jest.fn().mockRejectedValueOnce(lost).mockResolvedValue(null);
    const reads = { installationState: () => Promise.resolve('confirmed'), listUnrevoked: () => Promise.resolve([]) };
    const keys = { connect: () => Promise.resolve(), usableBySecret, ...reads } as unknown as KeyRepository;
    const copy = { read: () => Promise.resolve(null), write: () => Promise.resolve() };
    const ring = new KeyRing(keys, {} as Logger, copy, { confirmNewTimeline: false }, { answerWaitMs: 0 });
    const { key } = newKey();
    await expect(ring.authenticate(key)).rejects.toBe(lost);
    await expect(ring.authenticate(key)).rejects.toBe(lost);
    await expect(ring.authenticate(newKey().key)).rejects.toBe(lost);
    expect(usableBySecret).toHaveBeenCalledTimes(1);
    await ring.reload();
    expect(await ring.authenticate(key)).toBeNull();
    expect(usableBySecret).toHaveBeenCalledTimes(2);
  });
});
