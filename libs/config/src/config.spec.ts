import { readConfig } from './config';

describe('the environment', () => {
  it('is refused in words of ours, with what each variable may be', () => {
    const LOG_LEVEL = 'loud';
    expect(() => readConfig({ LOG_LEVEL, QUEUE_CONSOLE: 'all' })).toThrow(
      'wrong environment: QUEUE_CONSOLE must be one of read-only, full; ' +
        'LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent',
    );
  });
});
