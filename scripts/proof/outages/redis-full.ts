import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { type Outage } from './outage';
import { ALL, Asking, ok, told } from './questions';
import { isQuiet, noiseOf, toldNoise } from './quiet';
import { Sending, isWhole, toldCount } from './sending';

const MAXMEMORY = '8mb';
const SETTLE_MS = 120_000;
const PIECE = 'x'.repeat(1_000);

/** Somebody else who fills what Redis has, and keeps it full. */
class Filler {
  private isFilling = true;
  private keys = 0;
  private readonly end: Promise<void>;

  constructor(private readonly redis: Redis) {
    this.end = this.again();
  }

  /** Takes away what it has put there. */
  async stop(): Promise<void> {
    this.isFilling = false;
    await this.end;
    for (let key = 0; key < this.keys; key += 1000)
      await this.redis.del(Array.from({ length: 1000 }, (_, n) => `other:${key + n}`));
  }

  private async again(): Promise<void> {
    while (this.isFilling) {
      for (let isFull = false; !isFull;)
        isFull = await this.redis.set(`other:${this.keys}`, PIECE).then(
          () => !++this.keys,
          () => true,
        );
      await pause(100);
    }
  }
}

export const redisFull: Outage = {
  what: ({ awayS }) => `Redis full for ${awayS} s: noeviction, ${MAXMEMORY}, filled by somebody else`,
  promised: 'endpoints 1 to 9 answer 200, batches are accepted and finish once there is room, logs stay quiet',
  run: ({ awayS }, lent) =>
    lent.use(async ({ apiUrls, redis, processes }, findings) => {
      const client = new Redis(redis?.url ?? '');
      await client.config('SET', 'maxmemory', MAXMEMORY);
      const sending = new Sending(apiUrls, 'f');
      sending.start();
      await pause(1_000);
      const filler = new Filler(client);
      const from = new Date();
      const asking = new Asking(apiUrls, ALL);
      await pause(1000 * awayS);
      await sending.stop();
      const tally = await asking.stop();
      const noise = noiseOf(processes, from);
      findings.add(told(tally), ok(tally));
      findings.add(sending.told, sending.answers.size === 1 && sending.answers.has('202'));
      findings.add(toldNoise(noise), isQuiet(noise));
      await filler.stop();
      await client.config('SET', 'maxmemory', '0');
      findings.add(`all finished ${(await sending.settled(SETTLE_MS)).toFixed(1)} s after there was room`);
      const count = await sending.counted();
      findings.add(toldCount(count, sending.accepted.length), isWhole(count));
      client.disconnect();
    }),
};
