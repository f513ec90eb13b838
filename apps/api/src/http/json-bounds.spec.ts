import { checkBounds } from './json-bounds';

describe('checkBounds', () => {
  const bounds = { holders: 10, values: 20, advice: 'Send a file.' };
  const check = (json: string): void => checkBounds(Buffer.from(json), bounds);

  it('lets pass what stays within, to the last', () => {
    expect(() => check(`[${Array.from({ length: 9 }, () => '{}').join(',')}]`)).not.toThrow();
    expect(() => check(`[${Array.from({ length: 20 }, () => '1').join(',')}]`)).not.toThrow();
  });

  it.each([
    ['objects', `[${Array.from({ length: 10 }, () => '{}').join(',')}]`, 10],
    ['lists', '['.repeat(11), 10],
    ['values', `[${Array.from({ length: 21 }, () => '1').join(',')}]`, 20],
  ])('refuses too many %s, with advice', (_what, json, limit) => {
    expect(() => check(json)).toThrow(
      expect.objectContaining({
        status: 413,
        detail: expect.stringContaining('Send a file.') as unknown,
        parts: { members: { limit } },
      }),
    );
  });
});
