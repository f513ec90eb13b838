import { type TestDatabase, testDatabase } from '../../../test/support/servers';
import { SourceFileRepository } from './source-file.repository';

const record = (url: string, byte: string) => ({
  url,
  etag: `"${byte}"`,
  lastModified: null,
  sha256: byte.repeat(64),
  bytes: 3 * 2 ** 30,
  retrievedAt: '2026-01-02T03:04:05.000Z',
});

describe('downloads in Postgres', () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await testDatabase();
  });
  afterAll(() => db.close());

  it('stores the last download of a URL, also with more than 2 GB', async () => {
    const log = new SourceFileRepository(db.pool);
    expect(await log.find('https://example.org/a')).toBeNull();
    await log.save(record('https://example.org/a', '1'));
    expect(await log.find('https://example.org/a')).toEqual(record('https://example.org/a', '1'));
  });

  it('returns the file that no URL has any more', async () => {
    const log = new SourceFileRepository(db.pool);
    const [a, b] = ['https://example.org/x/a', 'https://example.org/x/b'];
    expect([await log.save(record(a, '2')), await log.save(record(b, '2'))]).toEqual([null, null]);
    expect(await log.save(record(a, '2'))).toBeNull();
    expect(await log.save(record(a, '3'))).toBeNull();
    expect(await log.save(record(b, '4'))).toBe('2'.repeat(64));
  });
});
