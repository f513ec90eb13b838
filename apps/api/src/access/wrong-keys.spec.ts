import { clientNetwork, publicNetwork, MAX_WRONG_KEYS, WrongKeyCounter } from './wrong-keys';

const MINUTE = 60_000;

describe('the counter of wrong keys', () => {
  const spend = (counter: WrongKeyCounter, now: number, network = 'a'): number[] =>
    Array.from({ length: MAX_WRONG_KEYS }, () => counter.count(network, now).blockedMs);

  it('allows 20 lookups a minute, and blocks the next one', () => {
    const counter = new WrongKeyCounter();
    for (const now of [0, MINUTE]) expect(spend(counter, now)).toEqual(Array(MAX_WRONG_KEYS).fill(0));
    expect(counter.count('a', MINUTE + 1)).toEqual({ blockedMs: MINUTE, isNewBlock: true });
    expect(counter.count('a', MINUTE + 10_001)).toEqual({ blockedMs: MINUTE - 10_000, isNewBlock: false });
    expect(counter.count('b', MINUTE + 1).blockedMs).toBe(0);
  });

  it('doubles the block up to an hour', () => {
    const counter = new WrongKeyCounter();
    const minutes: number[] = [];
    for (let now = 0; minutes.length < 8;) {
      spend(counter, now);
      const { blockedMs } = counter.count('a', now);
      minutes.push(blockedMs / MINUTE);
      now += blockedMs;
    }
    expect(minutes).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
  });

  it('does not count a key that turned out to be valid', () => {
    const counter = new WrongKeyCounter();
    spend(counter, 0);
    counter.revertCount('a', 0);
    expect(counter.count('a', 1).blockedMs).toBe(0);
    expect(counter.count('a', 2).blockedMs).toBe(MINUTE);
  });

  it('ends a block that parallel requests with a valid key began, and gives no further lookups for it', () => {
    const counter = new WrongKeyCounter();
    spend(counter, 0);
    expect(counter.count('a', 1)).toEqual({ blockedMs: MINUTE, isNewBlock: true });
    for (let n = 0; n < 2; n++) counter.revertCount('a', 2);
    expect([3, 4].map((now) => counter.count('a', now).blockedMs)).toEqual([0, 0]);
    expect(counter.count('a', 5)).toEqual({ blockedMs: MINUTE, isNewBlock: true });
  });
});

describe('the network of a client', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2:ffff::', '2001:db8:1:2::/64'],
    ['fe80::1%eth0', 'fe80::/64'],
    ['::1', '::/64'],
    ['', 'unknown'],
  ])('of %s is %s', (address, network) => {
    expect(clientNetwork(address)).toBe(network);
  });
});

describe('the public network of a client', () => {
  it.each([
    ['8.8.8.8', undefined, '8.8.8.8'],
    ['8.8.8.8', '9.9.9.9', '8.8.8.8'], // a client that connects directly can write anything into the header
    ['10.0.0.2', '9.9.9.9', '9.9.9.9'],
    ['::ffff:127.0.0.1', '1.1.1.1, 9.9.9.9, 192.168.0.3', '9.9.9.9'], // the client wrote the first one
    ['fd00::1', '2606:4700:1:2:3::4', '2606:4700:1:2::/64'],
    ['10.0.0.2', '9.9.9.9, unknown', null],
    ['10.0.0.2', '192.168.0.3', null],
    ['127.0.0.1', undefined, null],
  ])('that connects from %s, with X-Forwarded-For %s, is %s', (ip, forwarded, network) => {
    expect(publicNetwork({ ip, headers: { 'x-forwarded-for': forwarded } })).toBe(network);
  });
});
