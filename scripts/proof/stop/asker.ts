import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { KEY } from '../installation';

/** How a request ended. */
export type Ending =
  /** Status, headers and as many bytes as they promise. */
  | 'answered'
  /** The same, with 503: ask another one. */
  | 'unavailable'
  /** Nobody listened. */
  | 'refused'
  /** The connection ended before the first byte of an answer. */
  | 'turned away'
  /** It ended within the answer. */
  | 'cut';

export interface Asked {
  /** Of the wall clock, when the request had been handed over. */
  readonly sentAt: number;
  readonly endedAt: number;
  readonly ending: Ending;
}

const BODY = JSON.stringify({
  queries: Array.from({ length: 2_000 }, (_, at) => ({
    name: ['Mary', 'James', 'Ashley'][at % 3],
    date: `2017-07-0${1 + (at % 9)}`,
  })),
});
const HEADERS = {
  authorization: `Bearer ${KEY}`,
  'content-type': 'application/json',
  'content-length': Buffer.byteLength(BODY),
};
const AWAY_MS = 100;

/** Asks an api for 2,000 ages and genders, again and again on one connection, until it is over. */
export async function asker(api: string, isOver: () => boolean): Promise<Asked[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const asked: Asked[] = [];
  while (!isOver()) {
    const one = await ask(api, agent);
    asked.push(one);
    if (one.ending !== 'answered') await pause(AWAY_MS);
  }
  agent.destroy();
  return asked;
}

function ask(api: string, agent: Agent): Promise<Asked> {
  return new Promise((done) => {
    let sentAt = Date.now();
    const end = (ending: Ending): void => done({ sentAt, endedAt: Date.now(), ending });
    const asking = request(`${api}/enrich/v1/age_gender`, { method: 'POST', headers: HEADERS, agent });
    asking.on('finish', () => (sentAt = Date.now()));
    asking.on('error', (error: NodeJS.ErrnoException) =>
      end(error.code === 'ECONNREFUSED' ? 'refused' : 'turned away'),
    );
    asking.on('response', (response) => {
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response.on('error', () => end('cut'));
      response.on('close', () => end(endingOf(response.statusCode, response.complete, Buffer.concat(pieces))));
    });
    asking.end(BODY);
  });
}

function endingOf(status: number | undefined, isComplete: boolean, body: Buffer): Ending {
  if (!isComplete) return 'cut';
  if (status === 503) return 'unavailable';
  const { results } = JSON.parse(body.toString()) as { results?: unknown[] };
  return results?.length === 2_000 ? 'answered' : 'cut';
}
