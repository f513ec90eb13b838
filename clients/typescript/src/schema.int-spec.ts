import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type RunningApi, runningApi } from '../../../test/support/service/running-api';

const FILE = join(__dirname, 'schema.ts');
const HEAD = '/* Made from /openapi.json by: UPDATE_CLIENT=1 npm test -- clients/typescript/src/schema */\n';

describe('the types of the client', () => {
  let api: RunningApi;
  beforeAll(async () => {
    api = await runningApi({}, false);
  });
  afterAll(() => api.close());

  it('are those of the document of the api as it runs', async () => {
    const document = await (await fetch(`${api.url}/openapi.json`)).text();
    const { stdout, stderr } = spawnSync(process.execPath, [join(__dirname, '../scripts/types.mjs')], {
      input: document,
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    if (process.env.UPDATE_CLIENT === '1') writeFileSync(FILE, HEAD + stdout);
    else expect(HEAD + stdout).toBe(readFileSync(FILE, 'utf8'));
  });
});
