import { BodyCache } from './body-cache';

const body = (bytes: number): { readonly bytes: number } => ({ bytes });

describe('kept bodies', () => {
  it('are bounded by their bytes: what was asked longest ago leaves', () => {
    const cache = new BodyCache(100);
    for (const key of ['a', 'b', 'c', 'd']) cache.set(key, body(25));
    cache.get('a');
    cache.set('e', body(25));
    expect(['a', 'b', 'c', 'd', 'e'].filter((key) => cache.get(key))).toEqual(['a', 'c', 'd', 'e']);
    expect(cache.bytes).toBe(100);
  });

  it('do not push out all others for one that is large', () => {
    const cache = new BodyCache(100);
    cache.set('a', body(20));
    cache.set('b', body(26));
    expect([cache.get('a'), cache.get('b'), cache.bytes]).toEqual([body(20), undefined, 20]);
  });

  it('are counted once when they are replaced, and not any more when they are not wanted', () => {
    const cache = new BodyCache(100);
    cache.set('1 a', body(20));
    cache.set('1 a', body(10));
    cache.set('2 a', body(5));
    expect(cache.bytes).toBe(15);
    cache.keep((key) => key.startsWith('2 '));
    expect([cache.get('1 a'), cache.bytes]).toEqual([undefined, 5]);
  });
});
