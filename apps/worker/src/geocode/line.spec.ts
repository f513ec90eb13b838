import { Line } from './line';

describe('jobs in line', () => {
  beforeEach(() => jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] }));
  afterEach(() => jest.useRealTimers());

  it('look again as soon as a slot is left, all of them, and stand again after that', async () => {
    const line = new Line();
    let looked = 0;
    const stand = () => line.stand(1_000).then(() => looked++);
    void stand();
    void stand();
    line.move();
    await new Promise((go) => setImmediate(go));
    expect(looked).toBe(2);
    void stand();
    await new Promise((go) => setImmediate(go));
    expect(looked).toBe(2);
    line.move();
    await new Promise((go) => setImmediate(go));
    expect(looked).toBe(3);
  });
});
