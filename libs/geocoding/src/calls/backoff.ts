import { fullJitterGenerator } from 'cockatiel';

const OPTIONS = { generator: fullJitterGenerator, initialDelay: 1_000, maxDelay: 60_000, exponent: 2 };

/** Full jitter: anything from 0 to a second after the first failure, to twice that after each further one, to a minute. */
export const backoffMs = (failures: number): number => fullJitterGenerator(Math.max(0, failures - 1), OPTIONS)[0];
