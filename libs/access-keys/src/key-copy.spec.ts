import fc from 'fast-check';
import { COPY_VALID_MS, type CopyOwner, decodeCopy, encodeCopy, type ReadKeys } from './key-copy';

const OWNER: CopyOwner = { database: 'db.example:5432/donorlens', secret: 'a secret of the tests' };
const NOW = Date.UTC(2026, 10, 24, 12);

const limit = fc.option(fc.integer({ min: 1 }));
const credential = fc.record({
  identity: fc.record({
    id: fc.uuid(),
    name: fc.string(),
    scopes: fc.uniqueArray(fc.string()).map((scopes) => new Set(scopes)),
    requestsPerMinute: limit,
    batchRowsPerDay: limit,
  }),
  hash: fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes)),
  until: fc.oneof(fc.constant(Infinity), fc.integer({ min: 0 })),
});
const readKeys: fc.Arbitrary<ReadKeys> = fc.record({
  credentials: fc.array(fc.tuple(fc.string(), credential), { minLength: 1, maxLength: 5 }),
  readAt: fc.integer({ min: NOW - COPY_VALID_MS + 1, max: NOW }),
});

describe('a copy of the API keys', () => {
  it('gives the keys back that it was made of', () => {
    fc.assert(fc.property(readKeys, (read) => expect(decodeCopy(encodeCopy(read, OWNER), OWNER, NOW)).toEqual(read)));
  });

  it('is ignored if any character has changed', () => {
    const change = fc.tuple(readKeys, fc.nat(), fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 1 }));
    fc.assert(
      fc.property(change, ([read, position, character]) => {
        const copy = encodeCopy(read, OWNER);
        const at = position % (copy.length - 1);
        fc.pre(copy[at].toLowerCase() !== character.toLowerCase()); // the signature may have capitals
        const changed = copy.slice(0, at) + character + copy.slice(at + 1);
        expect(() => decodeCopy(changed, OWNER, NOW)).toThrow('it is damaged');
      }),
    );
  });

  const read: ReadKeys = {
    credentials: [
      [
        'dl_aaaaaaaa',
        {
          identity: {
            id: 'a',
            name: 'newsroom',
            scopes: new Set(['ops']),
            requestsPerMinute: 60,
            batchRowsPerDay: null,
          },
          hash: Buffer.alloc(32, 1),
          until: NOW + 1,
        },
      ],
    ],
    readAt: NOW,
  };

  it.each([
    ['is older than 10 minutes', encodeCopy(read, OWNER), NOW + COPY_VALID_MS],
    ['is newer than the clock', encodeCopy(read, OWNER), NOW - 1],
    ['is of another database', encodeCopy(read, { ...OWNER, database: 'db.example:5432/other' }), NOW],
    ['is damaged, or of another ADDRESS_SECRET', encodeCopy(read, { ...OWNER, secret: 'another secret' }), NOW],
    ['has no key', encodeCopy({ ...read, credentials: [] }, OWNER), NOW],
  ])('is ignored if it %s', (reason, copy, now) => {
    expect(() => decodeCopy(copy, OWNER, now)).toThrow(`it ${reason}`);
  });
});
