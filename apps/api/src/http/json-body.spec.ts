import { checkShape, jsonText, parseJson as parse, checkBounds } from './json-body';
import { Problem } from './problem';

const parseJson = (body: Buffer): unknown => parse(jsonText(body));

const fault = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    return error instanceof Problem ? error.detail : `no problem: ${String(error)}`;
  }
  return 'none';
};

describe('JSON from clients', () => {
  it('states the position of an error without repeating the text', () => {
    expect(fault(() => parseJson(Buffer.from('{"a": SECRET}')))).toMatch(
      /^The body is not JSON\.( The fault is at character 6\.)?$/,
    );
    expect(fault(() => parseJson(Buffer.from([0x22, 0xc3, 0x28, 0x22])))).toBe('The body is not UTF-8.');
    expect(fault(() => parseJson(Buffer.alloc(0)))).toBe('The body is empty.');
  });

  it('reads ASCII, UTF-8 and a byte order mark', () => {
    expect(parseJson(Buffer.from('{"a":"b"}'))).toEqual({ a: 'b' });
    expect(parseJson(Buffer.from('\ufeff{"a":"é"}'))).toEqual({ a: 'é' });
  });

  it('accepts eight levels and rejects nine, even a million levels without a stack overflow', () => {
    const nested = (levels: number): unknown => parseJson(Buffer.from('['.repeat(levels) + ']'.repeat(levels)));
    expect(fault(() => checkShape(nested(8)))).toBe('none');
    expect(fault(() => checkShape(nested(9)))).toContain('8 levels');
    expect(fault(() => checkShape(nested(6), 2))).toBe('none');
    expect(fault(() => checkShape(nested(7), 2))).toContain('8 levels');
    expect(fault(() => checkShape(nested(1_000_000)))).toContain('8 levels');
  });

  it('rejects keys that change prototypes, at any level and with any escapes', () => {
    for (const text of [
      '{"__proto__":1}',
      '{"a":[{"constructor":{}}]}',
      '{"\\u005f_proto__":{}}',
      '{"a":{"prototype":1}}',
    ])
      expect(fault(() => checkShape(parseJson(Buffer.from(text))))).toContain('is not allowed');
  });
});

describe('checkBounds', () => {
  const bounds = { containers: 10, values: 20, advice: 'Send a file.' };
  const check = (json: string): void => checkBounds(Buffer.from(json), bounds);

  it('accepts JSON up to the exact limits', () => {
    expect(() => check(`[${Array.from({ length: 9 }, () => '{}').join(',')}]`)).not.toThrow();
    expect(() => check(`[${Array.from({ length: 20 }, () => '1').join(',')}]`)).not.toThrow();
  });

  it.each([
    ['objects', `[${Array.from({ length: 10 }, () => '{}').join(',')}]`, 10],
    ['lists', '['.repeat(11), 10],
    ['values', `[${Array.from({ length: 21 }, () => '1').join(',')}]`, 20],
  ])('rejects too many %s, with advice', (_what, json, limit) => {
    expect(() => check(json)).toThrow(
      expect.objectContaining({
        status: 413,
        detail: expect.stringContaining('Send a file.') as unknown,
        parts: { members: { limit } },
      }),
    );
  });
});
