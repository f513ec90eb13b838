import { readConfig } from '@donorlens/config';
import { type CallRepository, type ClaimedCall, type Geocoder, GeocoderError } from '@donorlens/geocoding';
import { AddressKeys } from '@donorlens/locations';
import { CallRun, SlotSignal } from './call-run';

const keys = new AddressKeys({ secret: 'secret of the tests', benchmark: 'b', vintage: 'v' });

describe('a call in progress', () => {
  beforeEach(() => jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] }));
  afterEach(() => jest.useRealTimers());

  const call: ClaimedCall = {
    ...{ id: '1', leaseId: 'l', kind: 'batch', isProbe: false, failures: 0, benchmark: 'b', vintage: 'v' },
    addresses: [{ key: Buffer.from('a'), street: '1 Made Up St', city: '', state: '', zip: '62701', failures: 0 }],
  };

  /** A call whose lease is extended while `extend` returns true; the geocoder answers when the test calls `answer`. */
  function underWay(extend: () => Promise<boolean>) {
    let extended = 0;
    let answer = (): void => undefined;
    const geocoder: Partial<Geocoder> = {
      locate: ([{ id }], _settings, signal) =>
        new Promise((resolve, reject) => {
          answer = () => resolve({ answers: new Map([[id, { outcome: 'NO_MATCH' }]]), unanswered: new Map() });
          signal?.addEventListener('abort', () => reject(new GeocoderError('aborted')));
        }),
    };
    const calls: Partial<CallRepository> = { extendLease: () => (extended++, extend()) };
    const run = new CallRun(calls as CallRepository, geocoder as Geocoder, keys, readConfig({}));
    return { run, results: run.results(call), extended: () => extended, answer: () => answer() };
  }

  it('extends its lease until it ends, also if the database is unavailable for some time', async () => {
    let isAway = false;
    const { results, extended, answer } = underWay(() =>
      isAway ? Promise.reject(new Error('away')) : Promise.resolve(true),
    );
    await jest.advanceTimersByTimeAsync(100_000);
    isAway = true;
    await jest.advanceTimersByTimeAsync(100_000);
    answer();
    expect((await results)?.geocoded).toMatchObject([{ outcome: 'NO_MATCH' }]);
    expect(extended()).toBe(20);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('is aborted if its lease is lost, because another worker makes it', async () => {
    const { results } = underWay(() => Promise.resolve(false));
    await jest.advanceTimersByTimeAsync(10_000);
    expect(await results).toBeNull();
    expect(jest.getTimerCount()).toBe(0);
  });

  it('is aborted when the worker stops, and no call starts afterward', async () => {
    const { run, results } = underWay(() => Promise.resolve(true));
    run.stop();
    await expect(results).rejects.toMatchObject({ code: 'aborted' });
    expect(run.isStopped).toBe(true);
  });
});

describe('jobs that wait for a slot', () => {
  beforeEach(() => jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] }));
  afterEach(() => jest.useRealTimers());

  it('all wake up when a slot is freed, and can wait again', async () => {
    const signal = new SlotSignal();
    let woken = 0;
    const wait = () => signal.wait(1_000).then(() => woken++);
    void wait();
    void wait();
    signal.slotFreed();
    await new Promise((go) => setImmediate(go));
    expect(woken).toBe(2);
    void wait();
    await new Promise((go) => setImmediate(go));
    expect(woken).toBe(2);
    signal.slotFreed();
    await new Promise((go) => setImmediate(go));
    expect(woken).toBe(3);
  });
});
