import { request, Agent } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { nextClientAddress } from './requests';

/** Response times of two kinds of refusal, in microseconds. */
export interface Comparison {
  readonly name: string;
  readonly samples: number;
  readonly medians: readonly [number, number];
  /** Interquartile range of the first kind. */
  readonly spread: number;
  /** Probability that a refusal of the second kind is slower than one of the first; 0.5 if they do not differ. */
  readonly longer: number;
}

/** The api caches prefixes until it reads the keys again, every two seconds, and looks up at most fifty in between. */
const ROUND_MS = 2_500;
const PAIRS_A_ROUND = 16;
const REPEATED = 4;

/**
 * Measures refusals of pairs of keys, alternating, over one connection for each pair: of the first request and of
 * repeated ones.
 * @param pairOf - returns two keys that are refused for different reasons and are new to the service
 */
export async function compareRefusals(
  address: string,
  rounds: number,
  pairOf: () => readonly [string, string],
): Promise<{ readonly first: Comparison; readonly again: Comparison }> {
  const first: [number[], number[]] = [[], []];
  const again: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    for (let n = 0; n < PAIRS_A_ROUND; n++) {
      const pair = pairOf();
      // Its own client address, because wrong keys are limited by address. The first request only opens the connection.
      const agent = new Agent({ keepAlive: true, maxSockets: 1, localAddress: nextClientAddress() });
      await timeRefusal(address, null, agent);
      const order = (round + n) % 2 === 0 ? [0, 1] : [1, 0];
      for (const kind of order) first[kind].push(await timeRefusal(address, pair[kind], agent));
      for (let time = 0; time < REPEATED; time++)
        for (const kind of order) again[kind].push(await timeRefusal(address, pair[kind], agent));
      agent.destroy();
    }
    await pause(ROUND_MS);
  }
  return { first: comparisonOf('for the first time', first), again: comparisonOf('again', again) };
}

function timeRefusal(address: string, key: string | null, agent: Agent): Promise<number> {
  return new Promise((done, failed) => {
    const started = process.hrtime.bigint();
    const asking = request(address, { agent, headers: key === null ? {} : { 'x-api-key': key } }, (response) => {
      if (response.statusCode !== 401) failed(new Error(`an invalid key was answered with ${response.statusCode}`));
      response.resume();
      response.once('end', () => done(Number(process.hrtime.bigint() - started) / 1000));
    });
    asking.once('error', failed);
    asking.end();
  });
}

function comparisonOf(name: string, [one, other]: readonly [number[], number[]]): Comparison {
  const sorted = [...one].sort((a, b) => a - b);
  const at = (share: number, of: readonly number[]): number => of[Math.floor(share * (of.length - 1))];
  return {
    name,
    samples: one.length,
    medians: [
      at(0.5, sorted),
      at(
        0.5,
        [...other].sort((a, b) => a - b),
      ),
    ],
    spread: at(0.75, sorted) - at(0.25, sorted),
    longer: mannWhitney(one, other),
  };
}

/** The Mann-Whitney U statistic as a share of all pairs. */
export function mannWhitney(one: readonly number[], other: readonly number[]): number {
  const sorted = [...one].sort((a, b) => a - b);
  const below = (value: number, orEqual: boolean): number => {
    let [low, high] = [0, sorted.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sorted[middle] < value || (orEqual && sorted[middle] === value)) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  const slowerPairs = other.reduce((sum, value) => sum + (below(value, false) + below(value, true)) / 2, 0);
  return slowerPairs / (one.length * other.length);
}
