import { NestLogger, redacted } from './logger';

describe('what reaches a log', () => {
  it('never holds a key, wherever in the text it stands', () => {
    const key = 'dl_a1B2c3D4_0123456789012345678901234567890123456789012_x1Y2z3';
    for (const text of [
      key,
      `key ${key}.`,
      `GET /enrich/v1/ethnicity?apiKey=${key}&a=b`,
      `?token=${key}`,
      `Bearer ${key}"`,
    ])
      expect(redacted(text)).not.toMatch(/0123456789|x1Y2z3/);
  });

  it('cuts keys of any form out of query strings and leaves the rest', () => {
    expect(redacted('/a?token=demo-key-1&cycle=2016')).toBe('/a?token=***&cycle=2016');
  });
});

describe('what Nest writes', () => {
  it('holds nothing of what a start failed on: the line that ends the process tells it', () => {
    const told: string[] = [];
    const logger = { error: (_: object, text: string) => told.push(text), trace: () => undefined };
    const nest = new NestLogger(logger as never);
    nest.error(new Error('Redis may drop jobs'), undefined, 'ExceptionHandler');
    nest.error('a module failed', undefined, 'TypeOrmModule');
    expect(told).toEqual(['a module failed']);
  });
});
