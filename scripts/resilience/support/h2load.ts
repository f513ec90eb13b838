import { execFile, spawnSync } from 'node:child_process';
import { createReadStream, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { KEY } from '../../../test/support/installation';
import { type Endpoint } from '../scenarios/load-endpoints';

export interface LoadResult {
  /** 2xx answers per second. */
  readonly goodput: number;
  /** Other answers, by status. */
  readonly others: Readonly<Record<string, number>>;
  /** Requests that ended without an answer. */
  readonly unanswered: number;
  readonly p99Ms: number;
}

export interface Sending {
  readonly connections: number;
  readonly seconds: number;
  /** Requests per second of all connections; default: as fast as they are answered. */
  readonly rate?: number;
}

/** Warm-up before the measurement, seconds. */
export const WARM_S = 2;

/** Version of nghttp2's h2load on this machine; null if it is not installed. */
export const h2loadVersion = (): string | null =>
  /nghttp2\/(\S+)/.exec(spawnSync('h2load', ['--version'], { encoding: 'utf8' }).stdout ?? '')?.[1] ?? null;

/**
 * Repeats a request over HTTP/1.1. h2load is written in C and uses little of the CPU that it shares with the service.
 * Requests that are open at the end are not counted.
 */
export async function h2load(url: string, endpoint: Endpoint, sending: Sending): Promise<LoadResult> {
  const folder = await mkdtemp(join(tmpdir(), 'donorlens-load-'));
  try {
    const log = join(folder, 'log');
    const args = argumentsOf(endpoint, sending, folder);
    const { stdout } = await promisify(execFile)('h2load', [...args, '--log-file', log, url + endpoint.path]);
    const unanswered = /(\d+) errored/.exec(stdout)?.[1];
    if (unanswered === undefined) throw new Error(`h2load said nothing of requests:\n${stdout}`);
    return { ...(await readLog(log, sending.seconds)), unanswered: Number(unanswered) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function argumentsOf(
  { accept, body, type }: Endpoint,
  { connections, seconds, rate }: Sending,
  folder: string,
): string[] {
  const args = ['--h1', '-t', '1', '-c', connections, '-D', seconds, '--warm-up-time', WARM_S].map(String);
  if (rate !== undefined) args.push('--rps', String(rate / connections));
  for (const [name, value] of Object.entries({ authorization: `Bearer ${KEY}`, accept, 'content-type': type }))
    if (value !== undefined) args.push('-H', `${name}: ${value}`);
  if (body !== undefined) {
    const file = join(folder, 'body');
    writeFileSync(file, body);
    args.push('-d', file);
  }
  return args;
}

/**
 * Reads one line for each answer: time of the request, status, microseconds until its end. The status is -1 without an
 * answer, and 0 for an answer that began during the warm-up and ended after it.
 */
async function readLog(file: string, seconds: number): Promise<Omit<LoadResult, 'unanswered'>> {
  const others: Record<string, number> = {};
  const micros: number[] = [];
  let good = 0;
  for await (const line of createInterface({ input: createReadStream(file) })) {
    const [, status, took] = line.split('\t');
    if (status === '-1' || status === '0') continue;
    micros.push(Number(took));
    if (status.startsWith('2')) good++;
    else others[status] = (others[status] ?? 0) + 1;
  }
  micros.sort((a, b) => a - b);
  return { goodput: good / seconds, others, p99Ms: (micros[Math.floor(0.99 * micros.length)] ?? 0) / 1000 };
}
