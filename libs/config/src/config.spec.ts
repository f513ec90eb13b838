import { readConfig, removedSettings } from './config';

describe('the environment', () => {
  it('is rejected with a message that names the allowed values of each variable', () => {
    const LOG_LEVEL = 'loud';
    expect(() => readConfig({ LOG_LEVEL, CHART_EMBEDS: 'all' })).toThrow(
      'wrong environment: CHART_EMBEDS must be one of off, public; ' +
        'LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent',
    );
  });

  it('has a bootstrap key of 16 characters or more, unless a shorter one is allowed', () => {
    const BOOTSTRAP_KEY = 'x'.repeat(15);
    expect(() => readConfig({ BOOTSTRAP_KEY })).toThrow('BOOTSTRAP_KEY must have 16 or more characters');
    expect(readConfig({ BOOTSTRAP_KEY: `${BOOTSTRAP_KEY}x` }).bootstrapKey).toHaveLength(16);
    expect(readConfig({ BOOTSTRAP_KEY, ALLOW_SHORT_BOOTSTRAP_KEY: 'true' }).bootstrapKey).toHaveLength(15);
  });

  it('has hourly electronic filings if FEC_CYCLES names the current cycle, else by FEC_FILINGS', () => {
    const running = String(2 * Math.ceil(new Date().getUTCFullYear() / 2));
    const filings = (set: NodeJS.ProcessEnv) => readConfig(set).fecFilings;
    expect([filings({}), filings({ FEC_CYCLES: '2016' }), filings({ FEC_CYCLES: `2016,${running}` })]).toEqual([
      'off',
      'off',
      'hourly',
    ]);
    expect(filings({ FEC_CYCLES: running, FEC_FILINGS: 'off' })).toBe('off');
    expect(filings({ FEC_FILINGS: '15m' })).toBe('15m');
    expect(() => filings({ FEC_FILINGS: 'daily' })).toThrow('FEC_FILINGS must be one of hourly, 15m, off');
  });

  it('has a contact address that fits into a header', () => {
    expect(readConfig({ CONTACT_URL: 'https://example.org/kontakt/ü' }).contactUrl).toBe(
      'https://example.org/kontakt/%C3%BC',
    );
    expect(() => readConfig({ CONTACT_URL: 'me' })).toThrow('CONTACT_URL must be a http:// or https:// URL');
  });

  it('names a setting of an earlier version that is still set', () => {
    expect(removedSettings({ QUEUE_CONSOLE: 'full', LOG_LEVEL: 'info' })).toEqual([
      'QUEUE_CONSOLE has no effect any more: /ops and bin/donorlens queues retry failed jobs and pause queues',
    ]);
    expect(removedSettings({ QUEUE_CONSOLE: '' })).toEqual([]);
  });
});
