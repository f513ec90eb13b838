import { setTimeout as pause } from 'node:timers/promises';
import { type Installation, until } from '../installation';
import { type Findings, type Outage, onItsOwn } from './outage';
import { Asking, OF_DATA, OF_NAMES, type Tally, ok, told } from './questions';
import { isQuiet, noiseOf, toldNoise } from './quiet';
import { Sending, isWhole, toldCount } from './sending';

const BACK_MS = 60_000;
const SOON_S = 10;
const SETTLE_MS = 180_000;

/** Answers of what needs the database: refused properly, or from what is kept in memory. */
const isRefused = ({ answers, illFormed }: Tally): boolean =>
  illFormed === 0 && [...answers.keys()].every((answer) => answer === '200' || answer.startsWith('503'));

/** What holds for every way in which Postgres is not there. */
export async function withoutPostgres(
  { apiUrls, processes }: Installation,
  findings: Findings,
  way: {
    awayS: number;
    away: () => Promise<void>;
    back: () => Promise<void>;
    /** Longest that anybody may be kept waiting. */
    mostMs: number;
    /** It answers, and cannot store anything. */
    isUp?: boolean;
  },
): Promise<void> {
  const sending = new Sending(apiUrls, 'p');
  sending.start();
  await pause(1_500);
  const from = new Date();
  await way.away();
  const [names, data] = [new Asking(apiUrls, OF_NAMES), new Asking(apiUrls, OF_DATA)];
  await pause(2_000);
  const ready = await fetch(`${apiUrls[0]}/health/ready`).then(({ status }) => status);
  await pause(1000 * way.awayS - 2_000);
  const noise = noiseOf(processes, from);
  const returned = performance.now();
  await way.back();
  await untilTaken(apiUrls);
  const backS = (performance.now() - returned) / 1000;
  await sending.stop();
  const [ofNames, ofData] = [await names.stop(), await data.stop()];
  findings.add(`endpoints 1 to 4, ${told(ofNames)}`, ok(ofNames));
  findings.add(`5 to 9, ${told(ofData)}`, isRefused(ofData) && ofData.slowestMs <= way.mostMs);
  const isPlain = [...sending.answers.keys()].every((answer) => answer === '202' || answer === '503');
  findings.add(sending.told, isPlain && sending.illFormed === 0 && sending.slowestMs <= way.mostMs);
  findings.add(`/health/ready ${ready}`, way.isUp || ready === 503);
  findings.add(toldNoise(noise), isQuiet(noise));
  findings.add(`ready and taking batches ${backS.toFixed(1)} s after its return`, backS <= SOON_S);
  await sending.resend();
  findings.add(`all finished after ${(await sending.settled(SETTLE_MS)).toFixed(1)} s more`);
  const count = await sending.counted();
  findings.add(toldCount(count, sending.accepted.length), isWhole(count));
}

/** Every api is ready and takes a batch. */
async function untilTaken(apiUrls: readonly string[]): Promise<void> {
  for (const url of apiUrls) {
    await until(`${url} is ready`, () => isReady(url), BACK_MS);
    const probe = new Sending([url], 'probe');
    await until(`${url} takes a batch`, async () => (await probe.send()) === '202', BACK_MS);
  }
}

const isReady = (url: string): Promise<boolean> =>
  fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(2_000) }).then(
    ({ ok: isOk }) => isOk,
    () => false,
  );

const PROMISED =
  'endpoints 1 to 4 answer 200, the others 200 or 503, writes 503 with Retry-After as problem+json, /health/ready 503, nothing accepted is lost, well within 10 s of its return';

export const postgresStopped: Outage = {
  what: ({ awayS }) => `Postgres stopped for ${awayS} s`,
  promised: PROMISED,
  run: ({ awayS }, lent) =>
    lent.use((installation, findings) => {
      const { postgres } = installation;
      const way = { awayS, away: () => postgres.stop(), back: () => postgres.start(), mostMs: 7_000 };
      return withoutPostgres(installation, findings, way);
    }),
};

export const postgresKilled: Outage = {
  what: ({ awayS }) => `Postgres killed (kill -9), back after ${awayS} s; queue on Postgres, too`,
  promised: PROMISED,
  run: ({ awayS }) =>
    onItsOwn({ queue: 'postgres' }, (installation, findings) => {
      const { postgres } = installation;
      const away = () => postgres.kill({ stayDown: true });
      return withoutPostgres(installation, findings, { awayS, away, back: () => postgres.start(), mostMs: 7_000 });
    }),
};
