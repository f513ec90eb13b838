import { readConfig } from '@donorlens/config';
import { type CallRepository, type Geocoder } from '@donorlens/geocoding';
import { type Logger } from '@donorlens/observability';
import { SettingsCheck } from './settings-check';

const MINUTE = 60_000;

describe('the settings of the geocoder', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  function checked(reasons: (string | null)[], store: () => Promise<void> = () => Promise.resolve()) {
    const stored: (string | null)[] = [];
    const said: string[] = [];
    const say = (_: object, message: string) => said.push(message);
    const geocoder: Partial<Geocoder> = { refusedSettings: () => Promise.resolve(reasons.shift() ?? null) };
    const calls: Partial<CallRepository> = {
      setRefused: async (reason) => {
        await store();
        stored.push(reason);
      },
    };
    const logger = { error: say, info: say, warn: say } as unknown as Logger;
    const check = new SettingsCheck(geocoder as Geocoder, calls as CallRepository, readConfig({}), logger);
    check.onApplicationBootstrap();
    return { check, stored, said };
  }

  it('are asked about once where they are good', async () => {
    const { stored, said } = checked([null]);
    await jest.advanceTimersByTimeAsync(MINUTE);
    expect(stored).toEqual([null]);
    expect(said).toEqual([]);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('are asked about again for as long as they are refused, which is said once', async () => {
    const { stored, said } = checked(['no such vintage', 'no such vintage', null]);
    await jest.advanceTimersByTimeAsync(2 * MINUTE);
    expect(stored).toEqual(['no such vintage', 'no such vintage', null]);
    expect(said).toEqual(['no address is looked up: no such vintage', 'addresses are looked up again']);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('are asked about again where the answer could not be kept', async () => {
    let isAway = true;
    const { stored } = checked([null, null], () => (isAway ? Promise.reject(new Error('away')) : Promise.resolve()));
    await jest.advanceTimersByTimeAsync(MINUTE / 2);
    expect(stored).toEqual([]);
    isAway = false;
    await jest.advanceTimersByTimeAsync(MINUTE / 2);
    expect(stored).toEqual([null]);
  });

  it('are asked about no more once the worker stops', async () => {
    const { check, stored } = checked(['no such vintage', 'no such vintage']);
    await jest.advanceTimersByTimeAsync(0);
    check.beforeApplicationShutdown();
    await jest.advanceTimersByTimeAsync(MINUTE);
    expect(stored).toHaveLength(1);
  });
});
