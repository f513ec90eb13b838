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

describe('faults that replace the answer', () => {
  it.each(['500', '503', '429'] as const)('send %s, with or without Retry-After', async (name) => {
    server.faults.set(name);
    expect(await batch()).toMatchObject({ status: Number(name), headers: { 'content-type': /html/ } });
    expect((await batch()).headers).not.toHaveProperty('retry-after');
    server.faults.set(name, { retryAfter: 7 });
    expect((await batch()).headers).toMatchObject({ 'retry-after': '7' });
    server.faults.set(name, { retryAfter: new Date(Date.UTC(2030, 0, 2, 3, 4, 5)) });
    expect((await batch()).headers).toMatchObject({ 'retry-after': 'Wed, 02 Jan 2030 03:04:05 GMT' });
  });

  it('reset the connection, or close it without a reply', async () => {
    server.faults.set('reset', { next: 1 });
    expect(await batch()).toMatchObject({ status: null, error: 'ECONNRESET' });
    server.faults.set('no-reply', { next: 1 });
    expect(await batch()).toMatchObject({ status: null, error: 'ECONNRESET' });
    expect(await batch()).toMatchObject({ status: 200, error: null });
  });

  it('send nothing until the server stops', async () => {
    server.faults.set('hang');
    const call = batch();
    await until('it hangs', () => server.log.calls[0]?.faults.includes('hang'));
    await server.stop();
    expect(await call).toMatchObject({ status: null });
  });

  it('send a page or an error document with 200, or a redirect', async () => {
    server.faults.set('html', { next: 1 });
    expect(textOf(await batch())).toMatch(/^<!DOCTYPE html>/);
    server.faults.set('json-error', { next: 1 });
    expect(await batch()).toMatchObject({ status: 200, headers: { 'content-type': 'application/json' } });
    server.faults.set('redirect', { next: 1, to: 'http://127.0.0.1:9/elsewhere' });
    expect(await batch()).toMatchObject({ status: 302, headers: { location: 'http://127.0.0.1:9/elsewhere' } });
    await until('all are over', () => server.log.inFlight === 0);
    expect(server.log.rowsAnsweredOk).toBe(0);
  });

  it('send an answer of the given size', async () => {
    server.faults.set('huge', { bytes: 3_000_000 });
    const { body, headers } = await batch();
    expect(body).toHaveLength(3_000_000);
    expect(headers).not.toHaveProperty('content-length');
    expect(textOf({ body } as Raw)).toMatch(/^"0","1 MADE UP ST/);
  });

  it('close the port, and open the same port again', async () => {
    const { url } = server;
    await server.down();
    expect(await batch()).toMatchObject({ error: 'ECONNREFUSED' });
    await server.up();
    expect(server.url).toBe(url);
    expect(await batch()).toMatchObject({ status: 200 });
  });
});

describe('faults of the delivery', () => {
  it('reset the connection in the middle of the answer', async () => {
    server.faults.set('reset-midway');
    const { status, headers, body, error } = await batch();
    expect({ status, error }).toEqual({ status: 200, error: 'ECONNRESET' });
    expect(body).toHaveLength(Math.ceil(Number(headers['content-length']) / 2));
    await until('it is over', () => server.log.inFlight === 0);
    expect(server.log.rowsAnsweredOk).toBe(0);
  });

  it('send the answer in pieces that are correct together', async () => {
    const whole = await batch();
    server.faults.set('drip', { ms: 1, bytes: 500 });
    const pieces: number[] = [];
    const dripped = await askBatch(server.url, hundred, { onPiece: (bytes) => pieces.push(bytes) });
    expect(textOf(dripped)).toBe(textOf(whole));
    expect(pieces.length).toBeGreaterThan(5);
    await until('both are over', () => server.log.inFlight === 0);
    expect(server.log.rowsAnsweredOk).toBe(200);
  });

  it('delay the answer', async () => {
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

describe('faults of the rows', () => {
  let right: string[];
  const hurt = async (name: FaultName): Promise<string[]> => {
    server.faults.set(name);
    return linesOf(await batch());
  };
  beforeEach(async () => (right = linesOf(await batch()).sort()));

  it('end the text within a row', async () => {
    server.faults.set('truncated');
    const answer = await batch();
    expect(answer).toMatchObject({ status: 200, error: null });
    expect(textOf(answer)).toMatch(/\n"\d+","?[^\n]{1,5}$/);
    expect(linesOf(answer).slice(0, -1)).toHaveLength(99);
  });

  it('leave out some rows', async () => {
    const lines = await hurt('missing-rows');
    expect(lines.length).toBeLessThan(100);
    expect(lines.length).toBeGreaterThan(70);
    expect(right).toEqual(expect.arrayContaining(lines));
  });

  it('repeat some rows', async () => {
    const lines = await hurt('duplicate-rows');
    expect(lines.length).toBeGreaterThan(100);
    expect([...new Set(lines)].sort()).toEqual(right);
  });

  it('add a second outcome for some ids', async () => {
    const lines = await hurt('conflicting-rows');
    const extra = lines.filter((line) => !right.includes(line));
    expect(extra.length).toBe(lines.length - 100);
    expect(extra.length).toBeGreaterThan(0);
    expect(right.map(idOf)).toEqual(expect.arrayContaining(extra.map(idOf)));
  });

  it('add two rows with ids that were not sent', async () => {
    const lines = await hurt('unknown-ids');
    const unknown = lines.filter((line) => Number(idOf(line)) >= 100);
    expect(lines).toHaveLength(102);
    expect(unknown).toHaveLength(2);
  });

  it('exchange the ids of some rows, which the echoed input shows', async () => {
    const lines = await hurt('misattributed');
    const wrong = lines.filter((line) => !right.includes(line));
    expect(wrong).toHaveLength(20);
    expect(lines.map(behindId).sort()).toEqual(right.map(behindId).sort());
    expect(lines.map(idOf).sort()).toEqual(right.map(idOf).sort());
  });

  it('leave the geographies of matches empty', async () => {
    const lines = await hurt('blank-geographies');
    const matches = lines.filter((line) => line.includes('"Match"'));
    expect(matches.length).toBeGreaterThan(0);
    for (const line of matches) expect(line).toMatch(/,"[LR]","","","",""$/);
  });

  it('insert empty lines, and keep the order of the input', async () => {
    server.faults.set('blank-lines');
    const lines = await hurt('input-order');
    expect(lines.filter((_, at) => at % 2 === 1)).toEqual(Array(99).fill(''));
    expect(lines.filter(Boolean).map((line) => Number(idOf(line)))).toEqual(hundred.map((_, id) => id));
    server.faults.clear();
    expect((await batch()).body.toString()).toBe((await batch()).body.toString());
    expect(linesOf(await batch()).map((line) => Number(idOf(line)))).not.toEqual(hundred.map((_, id) => id));
  });

  it('return an error for a layer of a single lookup', async () => {
    server.plant(pine(1), { outcome: 'MATCH' });
    server.faults.set('layer-error');
    const { status, body } = await askSingle(server.url, pine(1));
    expect(status).toBe(200);
    expect(JSON.parse(body.toString()).result.addressMatches[0].geographies.Counties).toEqual([
      { status: expect.stringMatching(/^Layer query encountered an error: /) },
    ]);
  });
});

describe('a fault', () => {
  const statuses = async (calls: number): Promise<(number | null)[]> => {
    const found = [];
    for (let call = 0; call < calls; call++) found.push((await askBatch(server.url, [pine(1)])).status);
    return found;
  };

  it('applies to a number of calls, or only to calls of some kinds', async () => {
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

  it('applies by probability, to the same calls in every run', async () => {
    server.faults.set('500', { probability: 0.3 });
    const first = await statuses(40);
    expect(first.filter((status) => status === 500).length).toBeGreaterThan(4);
    expect(first.filter((status) => status === 500).length).toBeLessThan(20);
    await server.stop();
    server = await CensusServer.start();
    server.faults.set('500', { probability: 0.3 });
    expect(await statuses(40)).toEqual(first);
  });

  it('applies to every call with a poison address, in any spelling', async () => {
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
