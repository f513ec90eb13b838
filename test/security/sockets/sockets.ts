import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { KEY } from '../../support/installation';
import { type Report } from '../../../scripts/command/report';
import { RegularClient } from './regular-client';
import { sendRaw, MALFORMED_REQUESTS, malformedRequestFaults } from './malformed-requests';
import { SlowSocket, type Slowness } from './slow-sockets';

/**
 * Seconds after which the api closes a connection, by kind. It checks every two seconds; GRACE_S allows for a busy
 * machine.
 */
const DEADLINE_S: Readonly<Record<Slowness, number>> = {
  'no bytes': 10,
  'slow headers': 10,
  'slow body': 30,
  'idle after an answer': 72,
};
const GRACE_S = 15;
const MAX_GROWTH_MB = 300;
const BURST = 100;

/** Sends ambiguous requests. @returns those that are not refused */
export async function ambiguousRequests(port: number): Promise<string[]> {
  const faults: string[] = [];
  for (const shape of MALFORMED_REQUESTS) faults.push(...malformedRequestFaults(shape, await sendRaw(port, shape)));
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
  const regular = new RegularClient(url);
  const opened: SlowSocket[] = [];
  for (let at = 0; at < count; at++) {
    opened.push(new SlowSocket(slownesses[at % slownesses.length], port, KEY));
    if (at % BURST === BURST - 1) await pause(20); // no faster than the listen queue accepts them
  }
  let peak = before;
  const end = performance.now() + (Math.max(...slownesses.map((one) => DEADLINE_S[one])) + GRACE_S) * 1000;
  while (performance.now() < end && opened.some(({ endedAfterMs }) => endedAfterMs === undefined)) {
    peak = Math.max(peak, residentMb(pid));
    await pause(500);
  }
  await regular.stop();
  for (const one of opened) one.destroy();
  return reportOf(opened, slownesses, regular, [before, peak], malformed);
}

const residentMb = (pid: number): number =>
  Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024);

function rowOf(slowness: Slowness, opened: readonly SlowSocket[]): { cells: (string | number)[]; kept: boolean } {
  const own = opened.filter((one) => one.slowness === slowness);
  const ends = own.map(({ endedAfterMs }) => (endedAfterMs ?? Infinity) / 1000).sort((a, b) => a - b);
  const timedOut = own.filter(({ answer }) => answer.includes(' 408 ')).length;
  const late = ends.filter((seconds) => seconds > DEADLINE_S[slowness] + GRACE_S).length;
  const refused = own.filter((one) => one.refused).length;
  const [first, last] = [ends[0], ends.at(-1) ?? 0].map((seconds) =>
    Number.isFinite(seconds) ? `${seconds.toFixed(0)} s` : 'never',
  );
  return {
    cells: [slowness, own.length, `${DEADLINE_S[slowness]} s`, first, last, timedOut, late],
    kept: late === 0 && refused === 0,
  };
}

function reportOf(
  opened: readonly SlowSocket[],
  slownesses: readonly Slowness[],
  honest: RegularClient,
  [before, most]: readonly number[],
  malformed: readonly string[],
): Report {
  const rows = slownesses.map((slowness) => rowOf(slowness, opened));
  const faults = [...malformed, ...new Set(honest.faults)];
  return {
    columns: ['connections', 'at once', 'deadline', 'first closed after', 'last after', 'with 408', 'late'],
    rows: rows.map(({ cells }) => cells),
    notes: [
      `Meanwhile a regular client received ${honest.times.length} answers, ${honest.faults.length} of them wrong: median ${honest.quantile(0.5)} ms, p99 ${honest.quantile(0.99)} ms. The api used ${before} MB before and at most ${most} MB.`,
      `${MALFORMED_REQUESTS.length} ambiguous or oversized requests: ${malformed.length} not refused as expected.`,
      ...faults.map((fault) => `Found: ${fault}.`),
    ],
    passed: faults.length === 0 && most - before <= MAX_GROWTH_MB && rows.every(({ kept }) => kept),
  };
}
