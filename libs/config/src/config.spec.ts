import { readConfig } from './config';

describe('the environment', () => {
  it('is refused in words of ours, with what each variable may be', () => {
    const LOG_LEVEL = 'loud';
    expect(() => readConfig({ LOG_LEVEL, QUEUE_CONSOLE: 'all' })).toThrow(
      'wrong environment: QUEUE_CONSOLE must be one of read-only, full; ' +
        'LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent',
    );
  });

  it('has a bootstrap key of 16 characters or more, unless a shorter one is allowed', () => {
    const BOOTSTRAP_KEY = 'x'.repeat(15);
    expect(() => readConfig({ BOOTSTRAP_KEY })).toThrow('BOOTSTRAP_KEY must have 16 or more characters');
    expect(readConfig({ BOOTSTRAP_KEY: `${BOOTSTRAP_KEY}x` }).bootstrapKey).toHaveLength(16);
    expect(readConfig({ BOOTSTRAP_KEY, ALLOW_SHORT_BOOTSTRAP_KEY: 'true' }).bootstrapKey).toHaveLength(15);
  });
});
