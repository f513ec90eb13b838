import { setTimeout as pause } from 'node:timers/promises';
import { type Outage } from './outage';
import { ALL, Asking, ok, told } from './questions';
import { isQuiet, noiseOf, toldNoise } from './quiet';
import { Sending, isWhole, toldCount } from './sending';

const SETTLE_MS = 120_000;

export const redisAway: Outage = {
  what: ({ redisAwayS }) => `Redis absent for ${redisAwayS} s`,
  promised: 'endpoints 1 to 9 answer 200, batches are accepted and finish once it is back, logs stay quiet',
  run: ({ redisAwayS }, lent) =>
    lent.use(async ({ apiUrls, redis, processes }, findings) => {
      const sending = new Sending(apiUrls, 'r');
      await sending.send();
      const from = new Date();
      await redis?.stop();
      const asking = new Asking(apiUrls, ALL);
      sending.start();
      await pause(1000 * redisAwayS);
      await sending.stop();
      const tally = await asking.stop();
      const noise = noiseOf(processes, from);
      findings.add(told(tally), ok(tally));
      findings.add(sending.told, sending.answers.size === 1 && sending.answers.has('202'));
      findings.add(toldNoise(noise), isQuiet(noise));
      await redis?.start();
      findings.add(`all finished ${(await sending.settled(SETTLE_MS)).toFixed(1)} s after it was back`);
      const count = await sending.counted();
      findings.add(toldCount(count, sending.accepted.length), isWhole(count));
    }),
};
