import { until } from '../until';
import { type Address } from './address';
import { type Raw, askBatch, askSingle, raw } from './ask';
import { CensusServer } from './census-server';
import { type FaultName } from './faults';

let server: CensusServer;
beforeEach(async () => (server = await CensusServer.start()));
afterEach(() => server.stop());

const pine = (number: number): Address => ({ street: `${number} Pine St`, city: 'Dover', state: 'DE', zip: '19901' });
const hundred = Array.from({ length: 100 }, (_, at) => pine(at + 1));
const batch = (): Promise<Raw> => askBatch(server.url, hundred);
const textOf = ({ body }: Raw): string => body.toString('latin1');
const linesOf = (answer: Raw): string[] => textOf(answer).trimEnd().split('\n');
const idOf = (line: string): string => line.split('"')[1];
const behindId = (line: string): string => line.slice(line.indexOf(',') + 1);

describe('instead of an answer', () => {
  it.each(['500', '503', '429'] as const)('%s, with or without Retry-After', async (name) => {
    server.faults.set(name);
    expect(await batch()).toMatchObject({ status: Number(name), headers: { 'content-type': /html/ } });
    expect((await batch()).headers).not.toHaveProperty('retry-after');
    server.faults.set(name, { retryAfter: 7 });
    expect((await batch()).headers).toMatchObject({ 'retry-after': '7' });
    server.faults.set(name, { retryAfter: new Date(Date.UTC(2030, 0, 2, 3, 4, 5)) });
    expect((await batch()).headers).toMatchObject({ 'retry-after': 'Wed, 02 Jan 2030 03:04:05 GMT' });
  });

  it('a reset or an empty reply', async () => {
    server.faults.set('reset', { next: 1 });
    expect(await batch()).toMatchObject({ status: null, error: 'ECONNRESET' });
    server.faults.set('no-reply', { next: 1 });
    expect(await batch()).toMatchObject({ status: null, error: 'ECONNRESET' });
    expect(await batch()).toMatchObject({ status: 200, error: null });
  });

  it('nothing at all, until the server stops', async () => {
    server.faults.set('hang');
    const call = batch();
    await until('it hangs', () => server.log.calls[0]?.faults.includes('hang'));
    await server.stop();
    expect(await call).toMatchObject({ status: null });
  });

  it('a page or an error document with 200, or a redirect', async () => {
    server.faults.set('html', { next: 1 });
    expect(textOf(await batch())).toMatch(/^<!DOCTYPE html>/);
    server.faults.set('json-error', { next: 1 });
    expect(await batch()).toMatchObject({ status: 200, headers: { 'content-type': 'application/json' } });
    server.faults.set('redirect', { next: 1, to: 'http://127.0.0.1:9/elsewhere' });
    expect(await batch()).toMatchObject({ status: 302, headers: { location: 'http://127.0.0.1:9/elsewhere' } });
    await until('all are over', () => server.log.inFlight === 0);
    expect(server.log.rowsAnsweredOk).toBe(0);
  });

  it('an answer of as many bytes as one likes', async () => {
    server.faults.set('huge', { bytes: 3_000_000 });
    const { body, headers } = await batch();
    expect(body).toHaveLength(3_000_000);
    expect(headers).not.toHaveProperty('content-length');
    expect(textOf({ body } as Raw)).toMatch(/^"0","1 MADE UP ST/);
  });

  it('a closed port, then a server on the same port', async () => {
    const { url } = server;
    await server.down();
    expect(await batch()).toMatchObject({ error: 'ECONNREFUSED' });
    await server.up();
    expect(server.url).toBe(url);
    expect(await batch()).toMatchObject({ status: 200 });
  });
});

describe('on the way', () => {
  it('a reset in the middle', async () => {
    server.faults.set('reset-midway');
    const { status, headers, body, error } = await batch();
    expect({ status, error }).toEqual({ status: 200, error: 'ECONNRESET' });
    expect(body).toHaveLength(Math.ceil(Number(headers['content-length']) / 2));
    await until('it is over', () => server.log.inFlight === 0);
    expect(server.log.rowsAnsweredOk).toBe(0);
  });

  it('piece after piece, which is right in the end', async () => {
    const whole = await batch();
    server.faults.set('drip', { ms: 1, bytes: 500 });
    const pieces: number[] = [];
    const dripped = await askBatch(server.url, hundred, { onPiece: (bytes) => pieces.push(bytes) });
    expect(textOf(dripped)).toBe(textOf(whole));
    expect(pieces.length).toBeGreaterThan(5);
    await until('both are over', () => server.log.inFlight === 0);
    expect(server.log.rowsAnsweredOk).toBe(200);
  });

  it('some time before the answer', async () => {
    server.faults.set('latency', { ms: 60_000, next: 1 });
    const leaving = new AbortController();
    const slow = askBatch(server.url, hundred, { signal: leaving.signal });
    await until('it waits', () => server.log.calls[0]?.faults.includes('latency'));
    expect(await batch()).toMatchObject({ status: 200 });
    expect(server.log.inFlight).toBe(1);
    leaving.abort();
    expect(await slow).toMatchObject({ status: null });
  });
});

describe('in the rows', () => {
  let right: string[];
  const hurt = async (name: FaultName): Promise<string[]> => {
    server.faults.set(name);
    return linesOf(await batch());
  };
  beforeEach(async () => (right = linesOf(await batch()).sort()));

  it('the text ends within a row', async () => {
    server.faults.set('truncated');
    const answer = await batch();
    expect(answer).toMatchObject({ status: 200, error: null });
    expect(textOf(answer)).toMatch(/\n"\d+","?[^\n]{1,5}$/);
    expect(linesOf(answer).slice(0, -1)).toHaveLength(99);
  });

  it('some are missing', async () => {
    const lines = await hurt('missing-rows');
    expect(lines.length).toBeLessThan(100);
    expect(lines.length).toBeGreaterThan(70);
    expect(right).toEqual(expect.arrayContaining(lines));
  });

  it('some are there twice', async () => {
    const lines = await hurt('duplicate-rows');
    expect(lines.length).toBeGreaterThan(100);
    expect([...new Set(lines)].sort()).toEqual(right);
  });

  it('some ids have two outcomes', async () => {
    const lines = await hurt('conflicting-rows');
    const extra = lines.filter((line) => !right.includes(line));
    expect(extra.length).toBe(lines.length - 100);
    expect(extra.length).toBeGreaterThan(0);
    expect(right.map(idOf)).toEqual(expect.arrayContaining(extra.map(idOf)));
  });

  it('two have ids that were not sent', async () => {
    const lines = await hurt('unknown-ids');
    const unknown = lines.filter((line) => Number(idOf(line)) >= 100);
    expect(lines).toHaveLength(102);
    expect(unknown).toHaveLength(2);
  });

  it('some are under the id of another one, told by what they echo', async () => {
    const lines = await hurt('misattributed');
    const wrong = lines.filter((line) => !right.includes(line));
    expect(wrong).toHaveLength(20);
    expect(lines.map(behindId).sort()).toEqual(right.map(behindId).sort());
    expect(lines.map(idOf).sort()).toEqual(right.map(idOf).sort());
  });

  it('matches have no geographies', async () => {
    const lines = await hurt('blank-geographies');
    const matches = lines.filter((line) => line.includes('"Match"'));
    expect(matches.length).toBeGreaterThan(0);
    for (const line of matches) expect(line).toMatch(/,"[LR]","","","",""$/);
  });

  it('lines are empty in between, and the order is that of the input', async () => {
    server.faults.set('blank-lines');
    const lines = await hurt('input-order');
    expect(lines.filter((_, at) => at % 2 === 1)).toEqual(Array(99).fill(''));
    expect(lines.filter(Boolean).map((line) => Number(idOf(line)))).toEqual(hundred.map((_, id) => id));
    server.faults.clear();
    expect((await batch()).body.toString()).toBe((await batch()).body.toString());
    expect(linesOf(await batch()).map((line) => Number(idOf(line)))).not.toEqual(hundred.map((_, id) => id));
  });

  it('a layer of a single lookup could not be asked', async () => {
    server.plant(pine(1), { outcome: 'MATCH' });
    server.faults.set('layer-error');
    const { status, body } = await askSingle(server.url, pine(1));
    expect(status).toBe(200);
    expect(JSON.parse(body.toString()).result.addressMatches[0].geographies.Counties).toEqual([
      { status: expect.stringMatching(/^Layer query encountered an error: /) },
    ]);
  });
});

describe('when a fault strikes', () => {
  const statuses = async (calls: number): Promise<(number | null)[]> => {
    const found = [];
    for (let call = 0; call < calls; call++) found.push((await askBatch(server.url, [pine(1)])).status);
    return found;
  };

  it('the next so many calls, or calls of one kind only', async () => {
    server.faults.set('500', { next: 2 });
    expect(await statuses(3)).toEqual([500, 500, 200]);
    server.faults.set('503', { kinds: ['single', 'benchmarks'] });
    expect(await statuses(1)).toEqual([200]);
    expect((await askSingle(server.url, pine(1))).status).toBe(503);
    expect((await raw(`${server.url}/benchmarks`)).status).toBe(503);
    expect((await raw(`${server.url}/vintages?benchmark=4`)).status).toBe(200);
    server.faults.clear('503');
    expect((await askSingle(server.url, pine(1))).status).toBe(200);
  });

  it('by a probability: the same calls in every run', async () => {
    server.faults.set('500', { probability: 0.3 });
    const first = await statuses(40);
    expect(first.filter((status) => status === 500).length).toBeGreaterThan(4);
    expect(first.filter((status) => status === 500).length).toBeLessThan(20);
    await server.stop();
    server = await CensusServer.start();
    server.faults.set('500', { probability: 0.3 });
    expect(await statuses(40)).toEqual(first);
  });

  it('whenever a poison address is among the rows, in whatever spelling', async () => {
    server.faults.poison({ ...pine(50), street: '50 PINE STREET' });
    expect((await batch()).status).toBe(500);
    expect((await askBatch(server.url, hundred.slice(0, 49))).status).toBe(200);
    expect((await askSingle(server.url, pine(50))).status).toBe(500);
    server.faults.poison(pine(50), 'reset');
    expect(await batch()).toMatchObject({ status: null, error: 'ECONNRESET' });
    server.faults.cure(pine(50));
    expect((await batch()).status).toBe(200);
  });
});
