import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { KEY } from '../../support/installation';
import { type Report } from '../../../scripts/command/report';
import { HonestClient } from './honest-client';
import { answerTo, SHAPES, shapeFaults } from './shapes';
import { SlowSocket, type Slowness } from './slow-sockets';

/** When the api has let go of a connection, by what it lacks; it looks every two seconds, and a busy machine adds to it. */
const DEADLINE_S: Readonly<Record<Slowness, number>> = {
  'no bytes': 10,
  'slow headers': 10,
  'slow body': 30,
  'idle after an answer': 72,
};
const GRACE_S = 15;
const MAX_GROWTH_MB = 300;
const BURST = 100;

/** Requests that two servers might read in two ways. @returns what is not refused */
export async function ambiguousRequests(port: number): Promise<string[]> {
  const faults: string[] = [];
  for (const shape of SHAPES) faults.push(...shapeFaults(shape, await answerTo(port, shape)));
  for (const fault of faults) process.stderr.write(`${fault}\n`);
  return faults;
}

/** Opens connections that are slow on purpose, and waits until the api has closed all of them. */
export async function slowConnections(
  count: number,
  { url, port, pid }: { readonly url: string; readonly port: number; readonly pid: number },
  slownesses: readonly Slowness[],
  malformed: readonly string[],
): Promise<Report> {
  const before = residentMb(pid);
  const honest = new HonestClient(url);
  const opened: SlowSocket[] = [];
  for (let at = 0; at < count; at++) {
    opened.push(new SlowSocket(slownesses[at % slownesses.length], port, KEY));
    if (at % BURST === BURST - 1) await pause(20); // as fast as a listen queue takes them
  }
  let most = before;
  const end = performance.now() + (Math.max(...slownesses.map((one) => DEADLINE_S[one])) + GRACE_S) * 1000;
  while (performance.now() < end && opened.some(({ endedAfterMs }) => endedAfterMs === undefined)) {
    most = Math.max(most, residentMb(pid));
    await pause(500);
  }
  await honest.stop();
  for (const one of opened) one.destroy();
  return reportOf(opened, slownesses, honest, [before, most], malformed);
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
  slownesses: readonly Slowness[],
  honest: HonestClient,
  [before, most]: readonly number[],
  malformed: readonly string[],
): Report {
  const rows = slownesses.map((slowness) => rowOf(slowness, opened));
  const faults = [...malformed, ...new Set(honest.faults)];
  return {
    columns: ['connections', 'at once', 'deadline', 'first let go after', 'last after', 'told 408', 'late'],
    rows: rows.map(({ cells }) => cells),
    notes: [
      `Meanwhile an honest client had ${honest.times.length} answers, ${honest.faults.length} of them wrong: median ${honest.quantile(0.5)} ms, p99 ${honest.quantile(0.99)} ms. The api held ${before} MB before and ${most} MB at most.`,
      `${SHAPES.length} requests that two servers might read in two ways, or that are too large: ${malformed.length} not refused as they have to be.`,
      ...faults.map((fault) => `Found: ${fault}.`),
    ],
    passed: faults.length === 0 && most - before <= MAX_GROWTH_MB && rows.every(({ kept }) => kept),
  };
}
