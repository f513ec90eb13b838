import { setTimeout as pause } from 'node:timers/promises';
import { type Installation } from '../installation';
import { type Findings, type Outage } from './outage';
import { withoutPostgres } from './postgres-away';
import { ALL, Asking, ok, told } from './questions';
import { isQuiet, noiseOf, toldNoise } from './quiet';
import { Sending, isWhole, toldCount } from './sending';

const SETTLE_MS = 120_000;
/** A batch is accepted without waiting for the queue. */
const MOST_MS = 3_000;

async function withoutRedis(
  { apiUrls, processes }: Installation,
  findings: Findings,
  way: { awayS: number; away: () => void; back: () => void },
): Promise<void> {
  const sending = new Sending(apiUrls, 'z');
  sending.start();
  await pause(1_500);
  way.away();
  const from = new Date();
  const asking = new Asking(apiUrls, ALL);
  await pause(1000 * way.awayS);
  await sending.stop();
  const tally = await asking.stop();
  const noise = noiseOf(processes, from);
  way.back();
  findings.add(told(tally), ok(tally) && tally.slowestMs <= MOST_MS);
  findings.add(sending.told, sending.answers.size === 1 && sending.answers.has('202') && sending.slowestMs <= MOST_MS);
  findings.add(toldNoise(noise), isQuiet(noise));
  findings.add(`all finished ${(await sending.settled(SETTLE_MS)).toFixed(1)} s after its return`);
  const count = await sending.counted();
  findings.add(toldCount(count, sending.accepted.length), isWhole(count));
}

const PROMISED = 'endpoints 1 to 9 answer 200 and batches 202, none waits for it, logs stay quiet, all finish';

export const redisFrozen: Outage = {
  what: ({ awayS }) => `Redis frozen (SIGSTOP) for ${awayS} s`,
  promised: PROMISED,
  run: ({ awayS }, lent) =>
    lent.use((installation, findings) => {
      const pid = installation.redis?.pid ?? 0;
      const away = () => void process.kill(pid, 'SIGSTOP');
      const back = () => void process.kill(pid, 'SIGCONT');
      return withoutRedis(installation, findings, { awayS, away, back });
    }),
};

export const redisHalfOpen: Outage = {
  what: ({ awayS }) => `Redis half-open for ${awayS} s: connections stand, nothing arrives; the old ones stay so`,
  promised: PROMISED,
  run: ({ awayS }, lent) =>
    lent.use((installation, findings) => {
      const proxy = installation.proxies?.redis;
      const away = () => proxy?.set({ kind: 'half-open' });
      const back = () => proxy?.set({ kind: 'fair', forgetting: true });
      return withoutRedis(installation, findings, { awayS, away, back });
    }),
};

/** A statement has 30 s at the server; its client waits a little longer. */
const STATEMENT_MS = 40_000;

export const postgresHalfOpen: Outage = {
  what: ({ awayS }) =>
    `Postgres half-open for ${Math.max(60, awayS)} s: connections stand, nothing arrives; the old ones stay so`,
  promised: 'as above, and no request waits for more than 40 s',
  run: ({ awayS }, lent) =>
    lent.use((installation, findings) => {
      const proxy = installation.proxies?.postgres;
      const away = () => Promise.resolve(proxy?.set({ kind: 'half-open' }));
      const back = () => Promise.resolve(proxy?.set({ kind: 'fair', forgetting: true }));
      return withoutPostgres(installation, findings, { awayS: Math.max(60, awayS), away, back, mostMs: STATEMENT_MS });
    }),
};
