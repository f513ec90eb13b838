import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '@donorlens/config';
import { type TestDatabase, testDatabase } from '../../../../test/support/servers';
import { Home } from '../home/home';
import { withKeys } from '../keys/open-keys';
import { OutputLog } from './output-log';
import { Session } from './start';
import { Supervisor } from './supervisor';

describe('a start that Ctrl-C interrupts', () => {
  let db: TestDatabase;
  let home: Home;
  let log: OutputLog;
  let shown: (line: string) => void;

  beforeAll(async () => void (db = await testDatabase()));
  afterAll(() => db.close());
  beforeEach(() => {
    home = new Home(mkdtempSync(join(tmpdir(), 'donorlens-start-')));
    home.create();
    shown = () => undefined;
    log = new OutputLog(home.logs, { pretty: false, color: false, write: (line) => shown(line) });
  });
  afterEach(() => {
    jest.restoreAllMocks();
    log.close();
    rmSync(home.root, { recursive: true });
  });

  it('issues no key, writes no run.json and starts no role', async () => {
    const startRole = jest.spyOn(Supervisor.prototype, 'startRole').mockRejectedValue(new Error('a role was started'));
    const over = new AbortController();
    const env = { DATABASE_URL: db.url, QUEUE_BACKEND: 'postgres', PORT: '0', DONORLENS_HOME: home.root };
    const session = new Session(readConfig(env), home, env, log);
    shown = (line) => void (line.includes('queue: ') && over.abort());
    await expect(session['bringUp'](over.signal)).rejects.toThrow('This operation was aborted');
    expect(startRole).not.toHaveBeenCalled();
    expect(readdirSync(home.root)).toEqual(['logs']);
    await withKeys(db.url, async (keys) => expect(await keys.list()).toEqual([]));
  });
});
