import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestDatabase, testDatabase } from '../../../test/support/servers';
import { dumpSchema } from '../../../test/support/servers/schema-dump';

const DUMP = join(__dirname, '..', 'schema.sql');
const HEADER = '-- What the migrations add up to. Written by: UPDATE_SCHEMA=1 npm test -- libs/database/src/schema\n\n';

describe('the schema', () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await testDatabase();
  });
  afterAll(() => db.close());

  it('equals schema.sql', async () => {
    const now = HEADER + (await dumpSchema(db.pool));
    if (process.env.UPDATE_SCHEMA === '1') writeFileSync(DUMP, now);
    expect(now).toBe(readFileSync(DUMP, 'utf8'));
  });

  it('has no column for latitude or longitude', async () => {
    const { rows } = await db.pool.query(
      `select table_name, column_name from information_schema.columns where table_schema = 'public'
       and (column_name ~* '(^|_)(lat|lon|lng|long|latitude|longitude|coord|coordinates?|geom|point)(_|$)' or data_type = 'point')`,
    );
    expect(rows).toEqual([]);
  });
});
