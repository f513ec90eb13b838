import { readHeader } from './header';

describe('a header line', () => {
  const line = (bytes: number): Buffer => Buffer.from(`first_name,${'x'.repeat(bytes)}\nMary,1\n`);

  it('longer than 256 kB is refused, whether it comes in pieces or at once', () => {
    const long = line(300_000);
    for (const bytes of [long, long.subarray(0, 290_000)])
      expect(() => readHeader(bytes, false)).toThrow(expect.objectContaining({ code: 'record_too_long' }));
    expect(readHeader(line(200_000), false)?.columns).toHaveLength(2);
  });
});
