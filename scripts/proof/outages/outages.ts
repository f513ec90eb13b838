import { parseArgs } from 'node:util';
import { type Part } from '../report';
import { postgresHalfOpen, redisFrozen, redisHalfOpen } from './frozen';
import { homeFull } from './home-full';
import { Lent, type Outage, type Seen } from './outage';
import { postgresKilled, postgresStopped } from './postgres-away';
import { postgresFull, postgresLogFull } from './postgres-full';
import { redisAway } from './redis-away';
import { redisEvicts } from './redis-evicts';
import { redisFull } from './redis-full';

const OUTAGES: Readonly<Record<string, Outage>> = {
  'redis-away': redisAway,
  'redis-full': redisFull,
  'redis-evicts': redisEvicts,
  'redis-frozen': redisFrozen,
  'redis-half-open': redisHalfOpen,
  'postgres-stopped': postgresStopped,
  'postgres-killed': postgresKilled,
  'postgres-half-open': postgresHalfOpen,
  'postgres-full': postgresFull,
  'postgres-log-full': postgresLogFull,
  'home-full': homeFull,
};

/** Servers that are away, full, frozen or set up wrongly: what was promised, and what was seen. */
export const outages: Part = {
  what: `servers away, full or frozen: --redis-away-s 60 --away-s 15 --only ${Object.keys(OUTAGES).join(',')}`,
  async run(args) {
    const { values } = parseArgs({
      args: [...args],
      options: {
        'redis-away-s': { type: 'string', default: '60' },
        'away-s': { type: 'string', default: '15' },
        only: { type: 'string' },
      },
    });
    const asked = { redisAwayS: Number(values['redis-away-s']), awayS: Number(values['away-s']) };
    const found: { outage: Outage; seen: Seen }[] = [];
    const lent = new Lent();
    for (const name of values.only?.split(',') ?? Object.keys(OUTAGES)) {
      if (!Object.hasOwn(OUTAGES, name)) throw new Error(`no outage ${name}: ${Object.keys(OUTAGES).join(', ')}`);
      const outage = OUTAGES[name];
      const seen = await outage
        .run(asked, lent)
        .catch((error: Error) => ({ said: `**${error.message}**`, kept: false }));
      process.stderr.write(`${name}: ${seen.kept ? 'kept' : 'NOT KEPT'}: ${seen.said}\n`);
      found.push({ outage, seen });
    }
    await lent.end();
    return {
      document: 'reliability',
      columns: ['outage', 'promised', 'seen', 'kept'],
      rows: found.map(({ outage, seen }) => [
        outage.what(asked),
        outage.promised,
        seen.said,
        seen.kept ? 'yes' : '**no**',
      ]),
      passed: found.every(({ seen }) => seen.kept),
    };
  },
};
