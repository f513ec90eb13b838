import { gzipSync } from 'node:zlib';
import { type TrialService, forEachConcurrently, type Outcome, refusalFaults } from './trial';

const SMALL = Buffer.from('{"queries":[{"date":"2017-07-01","name":"Mary"}],"type":"age_gender"}');
const CSV = Buffer.from('first_name,date\nMary,2016-10-01\n');
const packed = gzipSync(SMALL);
const JSON_PLACES = ['/enrich/v1/age_gender', '/enrich/v1/batches', '/enrich/v1/batches/preview'];
const FILE_PLACES = ['/enrich/v1/batches?type=age_gender', '/enrich/v1/batches/preview?type=age_gender'];

const bomb = (bytes: number, start = ''): Buffer =>
  gzipSync(Buffer.concat([Buffer.from(start), Buffer.alloc(bytes, 0x20)]), { level: 9 });

/** Compressed bodies and their allowed statuses; `good` is the success status of the endpoint. */
const JSON_BODIES: readonly (readonly [what: string, body: Buffer, right: readonly (number | 'good')[]])[] = [
  ['valid gzip', packed, ['good']],
  ['1,000 to 1, 64 MB of blanks', bomb(64_000_000), [413]],
  ['1,000 to 1, one value', bomb(64_000_000, '{"queries":"'), [413]],
  ['compressed twice', gzipSync(packed), [400]],
  ['cut short', packed.subarray(0, -9), [400]],
  ['only a header', packed.subarray(0, 10), [400]],
  ['a byte changed', Buffer.from(packed).fill(0x55, 20, 24), [400]],
  ['a wrong checksum', Buffer.from(packed).fill(0, packed.length - 8), [400]],
  ['a wrong method', Buffer.from(packed).fill(9, 2, 3), [400]],
  ['not gzip', SMALL, [400]],
  ['nothing', Buffer.alloc(0), [400]],
  ['trailing garbage', Buffer.concat([packed, Buffer.from('garbage')]), ['good', 400]],
  [
    'two members, one JSON',
    Buffer.concat([gzipSync(SMALL.subarray(0, 9)), gzipSync(SMALL.subarray(9))]),
    ['good', 400],
  ],
];

const FILE_BODIES: readonly (readonly [what: string, body: Buffer, right: readonly (number | 'good')[]])[] = [
  ['valid gzip', gzipSync(CSV), ['good']],
  ['1,000 to 1, one record', bomb(64_000_000, 'first_name,date\n'), [400, 413]],
  [
    '1,000 to 1, empty lines',
    gzipSync(Buffer.concat([CSV, Buffer.alloc(64_000_000, 0x0a)]), { level: 9 }),
    ['good', 413],
  ],
  [
    '1,000 to 1, many rows',
    gzipSync(Buffer.concat([CSV, Buffer.alloc(60_000_000, 'M,2016-10-01\n')]), { level: 9 }),
    ['good', 413],
  ],
  ['a bomb within', gzipSync(bomb(64_000_000)), [400]],
  ['cut short', gzipSync(CSV).subarray(0, -9), [400]],
  ['a byte changed', Buffer.from(gzipSync(CSV)).fill(0x55, 14, 18), [400]],
  ['trailing garbage', Buffer.concat([gzipSync(CSV), Buffer.from('garbage')]), ['good', 400]],
];

const successOf = (path: string): number => (/batches(\?|$)/.test(path) ? 202 : 200);

/** Decompressed sizes are limited, and damaged bodies are refused with a message. */
export async function gzipBombs(bench: TrialService): Promise<Outcome> {
  const all = [
    ...JSON_PLACES.flatMap((path) => JSON_BODIES.map((one) => ({ path, type: 'application/json', one }))),
    ...FILE_PLACES.flatMap((path) => FILE_BODIES.map((one) => ({ path, type: 'text/csv', one }))),
  ];
  const found = await forEachConcurrently(all, 2, async ({ path, type, one: [what, body, right] }) => {
    const answer = await bench.post(path, body, type, type === 'text/csv' ? {} : { 'Content-Encoding': 'gzip' });
    const good = successOf(path);
    if (right.includes('good') && answer.status === good) return [];
    // A preview reads only the beginning and does not see later faults.
    if (path.includes('preview') && type === 'text/csv' && answer.status === 200) return [];
    return refusalFaults(
      `${path}, ${what}`,
      answer,
      right.filter((status) => status !== 'good'),
    );
  });
  return { what: 'gzip that inflates 1,000 times, is damaged or compressed twice', ...found };
}
