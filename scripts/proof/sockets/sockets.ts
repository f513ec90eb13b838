import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { Installation, KEY } from '../installation';
import { whole } from '../options';
import { part, type Report } from '../report';
import { HonestClient } from './honest-client';
import { answerTo, SHAPES, shapeFaults } from './shapes';
import { SlowSocket, SLOWNESSES, type Slowness } from './slow-sockets';

/** When the api has let go of a connection, by what it lacks; it looks every two seconds, and a busy machine adds to it. */
const DEADLINE_S: Readonly<Record<Slowness, number>> = {
  'no bytes': 10,
  'slow headers': 10,
  'slow body': 30,
  'idle after an answer': 72,
};
const GRACE_S = 15;
const MOST_GROWTH_MB = 300;
const BURST = 100;

/** Thousands of connections that are slow on purpose, and requests that two servers might read in two ways. */
export const sockets = part({
  what: 'slow and idle connections at once, and malformed requests',
  options: { sockets: whole(2000, 1) },
  async run({ sockets: count }) {
    const installation = await Installation.start({
      queue: 'redis',
      tuning: 'test',
      environment: { LOG_LEVEL: 'warn' },
    });
    try {
      const [url] = installation.apiUrls;
      const port = Number(new URL(url).port);
      const faults = await shapes(port);
      const [api] = installation.of('api');
      return await slow(count, url, port, api.pid, faults);
    } finally {
      await installation.stop();
    }
  },
});

async function shapes(port: number): Promise<string[]> {
  const faults: string[] = [];
  for (const shape of SHAPES) faults.push(...shapeFaults(shape, await answerTo(port, shape)));
  for (const fault of faults) process.stderr.write(`${fault}\n`);
  return faults;
}

async function slow(
  count: number,
  url: string,
  port: number,
  pid: number,
  malformed: readonly string[],
): Promise<Report> {
  const before = residentMb(pid);
  const honest = new HonestClient(url);
  const opened: SlowSocket[] = [];
  for (let at = 0; at < count; at++) {
    opened.push(new SlowSocket(SLOWNESSES[at % SLOWNESSES.length], port, KEY));
    if (at % BURST === BURST - 1) await pause(20); // as fast as a listen queue takes them
  }
  let most = before;
  const end = performance.now() + (DEADLINE_S['idle after an answer'] + GRACE_S) * 1000;
  while (performance.now() < end && opened.some(({ endedAfterMs }) => endedAfterMs === undefined)) {
    most = Math.max(most, residentMb(pid));
    await pause(500);
  }
  await honest.stop();
  for (const one of opened) one.destroy();
  return reportOf(opened, honest, [before, most], malformed);
}

const residentMb = (pid: number): number =>
  Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024);

function rowOf(slowness: Slowness, opened: readonly SlowSocket[]): { cells: (string | number)[]; kept: boolean } {
  const own = opened.filter((one) => one.slowness === slowness);
  const ends = own.map(({ endedAfterMs }) => (endedAfterMs ?? Infinity) / 1000).sort((a, b) => a - b);
  const told = own.filter(({ answer }) => answer.includes(' 408 ')).length;
  const late = ends.filter((seconds) => seconds > DEADLINE_S[slowness] + GRACE_S).length;
  const refused = own.filter((one) => one.refused).length;
  const [first, last] = [ends[0], ends.at(-1) ?? 0].map((seconds) =>
    Number.isFinite(seconds) ? `${seconds.toFixed(0)} s` : 'never',
  );
  return {
    cells: [slowness, own.length, `${DEADLINE_S[slowness]} s`, first, last, told, late],
    kept: late === 0 && refused === 0,
  };
}

function reportOf(
  opened: readonly SlowSocket[],
  honest: HonestClient,
  [before, most]: readonly number[],
  malformed: readonly string[],
): Report {
  const rows = SLOWNESSES.map((slowness) => rowOf(slowness, opened));
  const faults = [...malformed, ...new Set(honest.faults)];
  return {
    document: 'security',
    columns: ['connections', 'at once', 'deadline', 'first let go after', 'last after', 'told 408', 'late'],
    rows: rows.map(({ cells }) => cells),
    notes: [
      `Meanwhile an honest client had ${honest.times.length} answers, ${honest.faults.length} of them wrong: median ${honest.quantile(0.5)} ms, p99 ${honest.quantile(0.99)} ms. The api held ${before} MB before and ${most} MB at most.`,
      `${SHAPES.length} requests that two servers might read in two ways, or that are too large: ${malformed.length} not refused as they have to be.`,
      ...faults.map((fault) => `Found: ${fault}.`),
    ],
    passed: faults.length === 0 && most - before <= MOST_GROWTH_MB && rows.every(({ kept }) => kept),
  };
}
