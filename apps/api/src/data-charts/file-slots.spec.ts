import { FileSlots } from './file-slots';

const REFUSED = { code: 'unavailable', parts: { headers: { 'retry-after': '10' } } };

describe('slots of files', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('are had one after the other by those who stand in line, in their order', async () => {
    const slots = new FileSlots(1, 2_000);
    const first = await slots.take();
    const order: string[] = [];
    const [second, third] = ['second', 'third'].map((name) => slots.take().then((end) => (order.push(name), end)));
    await jest.advanceTimersByTimeAsync(1_999);
    expect(order).toEqual([]);
    first();
    (await second)();
    await third;
    expect(order).toEqual(['second', 'third']);
    await jest.advanceTimersByTimeAsync(10_000); // who has one is not sent away any more
  });

  it('are not had by who has stood in line for too long, and not kept for them', async () => {
    const slots = new FileSlots(1, 2_000);
    const first = await slots.take();
    const late = expect(slots.take()).rejects.toMatchObject(REFUSED);
    await jest.advanceTimersByTimeAsync(2_000);
    await late;
    first();
    await expect(slots.take()).resolves.toBeInstanceOf(Function);
  });

  it('are given back once, however often it is said', async () => {
    const slots = new FileSlots(1, 2_000);
    const first = await slots.take();
    first();
    first();
    await slots.take();
    const second = expect(slots.take()).rejects.toMatchObject(REFUSED);
    await jest.advanceTimersByTimeAsync(2_000);
    await second;
  });
});
