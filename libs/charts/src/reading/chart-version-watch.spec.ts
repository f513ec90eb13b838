import { setImmediate } from 'node:timers/promises';
import { createLogger } from '@donorlens/observability';
import { type ChartsVersion } from '../charts-version';
import { ChartVersionWatch } from './chart-version-watch';

const V1: ChartsVersion = { id: '1', builtAt: new Date(0) };
const M1 = { id: '7', movedAt: new Date(0) };
const logger = createLogger('test', 'silent');

describe('the chart version watch', () => {
  it('has no versions before its first read, and the published versions after it', async () => {
    const reader = { current: () => Promise.resolve(V1), masters: () => Promise.resolve(M1) };
    const watch = new ChartVersionWatch(reader, logger);
    expect(watch.current()).toEqual({ charts: null, masters: null });
    await watch.start();
    watch.stop();
    expect(watch.current()).toEqual({ charts: V1, masters: M1 });
  });

  it('keeps its versions while the database is unavailable, logs one error, and continues to read', async () => {
    const said: unknown[] = [];
    const ended = new Error('Connection terminated unexpectedly');
    const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    const answers: (ChartsVersion | Error)[] = [V1, ended, refused, { ...V1, id: '2' }];
    const current = (): Promise<ChartsVersion> => {
      const answer = answers.shift() ?? V1;
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    };
    const loud = Object.assign(Object.create(logger) as typeof logger, {
      error: (...words: unknown[]) => said.push(words),
    });
    const watch = new ChartVersionWatch({ current, masters: () => Promise.resolve(null) }, loud);
    for (const id of ['1', '1', '1', '2']) {
      await watch.refreshNow();
      expect(watch.current().charts?.id).toBe(id);
    }
    expect(said).toHaveLength(1);
  });

  it('shares a read that has not started, and reads again for a call during a read', async () => {
    let stored = V1;
    const reads: (() => void)[] = [];
    const current = (): Promise<ChartsVersion> => {
      const found = stored;
      return new Promise((resolve) => reads.push(() => resolve(found)));
    };
    const watch = new ChartVersionWatch({ current, masters: () => Promise.resolve(null) }, logger);
    const first = Promise.all([watch.refreshNow(), watch.refreshNow()]);
    await setImmediate();
    expect(reads).toHaveLength(1);
    stored = { ...V1, id: '2' };
    const second = Promise.all([watch.refreshNow(), watch.refreshNow()]);
    reads[0]();
    await first;
    expect(watch.current().charts?.id).toBe('1');
    await setImmediate();
    expect(reads).toHaveLength(2);
    reads[1]();
    await second;
    expect(watch.current().charts?.id).toBe('2');
  });
});
