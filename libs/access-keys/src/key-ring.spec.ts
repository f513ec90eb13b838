import { type Logger } from '@donorlens/observability';
import { KeyRing } from './key-ring';
import { type KeyRepository } from './key.repository';

describe('a key ring whose keys cannot be read', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('tells it once, and once more only after they could be read in between', async () => {
    let isAway = false;
    const usable = () => (isAway ? Promise.reject(new Error('away')) : Promise.resolve([]));
    const told: string[] = [];
    const logger = { warn: (_: object, text: string) => told.push(text) } as unknown as Logger;
    const ring = new KeyRing({ usable } as unknown as KeyRepository, logger);
    await ring.onModuleInit();

    isAway = true;
    await jest.advanceTimersByTimeAsync(20_000);
    expect(told).toEqual(['access keys cannot be read; those known last go on working']);
    isAway = false;
    await jest.advanceTimersByTimeAsync(4_000);
    isAway = true;
    await jest.advanceTimersByTimeAsync(20_000);
    expect(told).toHaveLength(2);
    await ring.beforeApplicationShutdown();
  });
});
