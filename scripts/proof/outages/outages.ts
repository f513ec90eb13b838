import { amount, someOf } from '../options';
import { part } from '../report';
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
export const outages = part({
  what: `servers away, full or frozen`,
  options: { 'redis-away-s': amount(60), 'away-s': amount(15), only: someOf(Object.keys(OUTAGES)) },
  async run({ 'redis-away-s': redisAwayS, 'away-s': awayS, only }) {
    const found: { outage: Outage; seen: Seen }[] = [];
    const lent = new Lent();
    for (const name of only) {
      const outage = OUTAGES[name];
      const seen = await outage
        .run({ redisAwayS, awayS }, lent)
        .catch((error: Error) => ({ said: `**${error.message}**`, kept: false }));
      process.stderr.write(`${name}: ${seen.kept ? 'kept' : 'NOT KEPT'}: ${seen.said}\n`);
      found.push({ outage, seen });
    }
    await lent.end();
    return {
      document: 'reliability',
      columns: ['outage', 'promised', 'seen', 'kept'],
      rows: found.map(({ outage, seen }) => [
        outage.what({ redisAwayS, awayS }),
        outage.promised,
        seen.said,
        seen.kept ? 'yes' : '**no**',
      ]),
      passed: found.every(({ seen }) => seen.kept),
    };
  },
});
