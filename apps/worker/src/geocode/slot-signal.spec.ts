import { SlotSignal } from './slot-signal';

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
