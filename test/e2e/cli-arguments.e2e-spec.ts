import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { CLI } from '../support/service/service';

describe('donorlens on the command line', () => {
  let folder: string;
  beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'donorlens-cli-'))));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const home = () => join(folder, 'home');
  const run = (args: string[], env: Record<string, string> = {}) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [CLI, ...args], {
      encoding: 'utf8',
      env: { PATH: dirname(process.execPath), DONORLENS_HOME: home(), ...env },
      timeout: 60_000,
    });
    return { status, stdout, lines: stderr.trim().split('\n') };
  };
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };

  it('says in one line what is wrong with a file, before anything is sent', () => {
    const missing = run(['batch', 'submit', join(folder, 'none.csv'), '--wait']);
    expect(missing).toEqual({ status: 2, stdout: '', lines: [`${join(folder, 'none.csv')} does not exist`] });
    const isFolder = run(['batch', 'submit', folder]);
    expect(isFolder).toEqual({ status: 2, stdout: '', lines: [`${folder} is a folder, not a file`] });
  });

  it('reports that no service runs, or that no key is given', () => {
    const csv = file('a.csv', 'first_name,date\nMary,2016-01-01\n');
    expect(run(['batch', 'submit', csv])).toMatchObject({
      status: 3,
      lines: [
        `no donorlens runs on ${home()}: start one with npm start, or set DONORLENS_HOME to its folder, or --url`,
      ],
    });
    expect(run(['batch', 'submit', csv, '--url', 'http://127.0.0.1:9'])).toMatchObject({
      status: 2,
      lines: ['no API key: pass --key, or set DONORLENS_KEY'],
    });
    const away = run(['batch', 'submit', csv, '--url', 'http://127.0.0.1:9', '--key', 'a-key-of-mine']);
    expect(away.status).toBe(3);
    expect(away.lines).toHaveLength(1);
    expect(run(['batch', 'submit', csv, '--url', 'ftp://x']).status).toBe(2);
    expect(run(['keys', 'list']).status).toBe(3);
  });

  it('start lists every wrong variable, and never their values', () => {
    const { status, lines } = run(['start'], { PORT: 'http', QUEUE_BACKEND: 'rabbit', BOOTSTRAP_KEY: 'secret7' });
    expect(status).toBe(2);
    expect(lines).toHaveLength(3);
    for (const name of ['PORT', 'QUEUE_BACKEND', 'BOOTSTRAP_KEY'])
      expect(lines.filter((line) => line.startsWith(`wrong environment: ${name} `))).toHaveLength(1);
    expect(lines.join()).not.toContain('secret7');
  });

  it('start says which port is in use, and starts nothing', async () => {
    const server = createServer();
    const port = await new Promise<number>((done) =>
      server.listen(0, '127.0.0.1', () => done((server.address() as { port: number }).port)),
    );
    const { status, lines } = run(['start'], { PORT: String(port) });
    server.close();
    expect(status).toBe(3);
    expect(lines.at(-1)).toBe(
      `port ${port} on 127.0.0.1 is in use: stop what listens there, or set PORT (0 takes a free one)`,
    );
  });

  it('start requires redis-server if QUEUE_BACKEND is redis', () => {
    const bare = join(folder, 'bare');
    mkdirSync(bare, { recursive: true });
    const { status, lines } = run(['start'], { PORT: '0', QUEUE_BACKEND: 'redis', PATH: bare });
    expect(status).toBe(3);
    expect(lines.at(-1)).toContain('there is no redis-server on the PATH');
  });

  const asUser = ['--reuid=12345', '--regid=12345', '--clear-groups'];
  /** Only root can change to another user; that user must be able to read this clone. */
  const itAsRoot = spawnSync('setpriv', [...asUser, 'test', '-r', CLI]).status === 0 ? it : it.skip;
  const start = (command: string, args: readonly string[], at: string) => {
    const { status, stderr } = spawnSync(command, [...args, process.execPath, CLI, 'start'], {
      encoding: 'utf8',
      env: { PATH: process.env.PATH, PORT: '0', DONORLENS_HOME: at },
      cwd: '/',
      timeout: 60_000,
    });
    return { status, lines: stderr.trim().split('\n') };
  };

  (process.platform === 'linux' ? it : it.skip)('start says how to raise a limit of 64 open files', () => {
    const { status, lines } = start('sh', ['-c', 'ulimit -n 64; exec "$@"', 'sh'], home());
    expect([status, lines]).toEqual([3, [expect.stringMatching(/may open 64 files.*ulimit -n 4096/)]]);
  });

  it('start says why its home cannot be used, and what to do', () => {
    const { status, lines } = run(['start'], { PORT: '0', DONORLENS_HOME: join(file('no-folder', ''), 'home') });
    expect([status, lines]).toEqual([3, [expect.stringMatching(/ENOTDIR.*set DONORLENS_HOME to another folder$/)]]);
  });

  itAsRoot('start says who must own a home that it may not write', () => {
    chmodSync(folder, 0o755);
    mkdirSync(join(folder, 'read-only'), { mode: 0o555 });
    const { status, lines } = start('setpriv', asUser, join(folder, 'read-only'));
    expect([status, lines]).toEqual([
      3,
      [expect.stringMatching(/EACCES.*give the folder to user id 12345 with chown/)],
    ]);
  });

  itAsRoot('start says that Postgres needs an entry in /etc/passwd for its user', () => {
    chmodSync(folder, 0o755);
    mkdirSync(join(folder, 'unknown-user'));
    chownSync(join(folder, 'unknown-user'), 12345, 12345);
    const { status, lines } = start('setpriv', asUser, join(folder, 'unknown-user'));
    expect([status, lines]).toEqual([3, [expect.stringMatching(/^Postgres refuses user id 12345.*set DATABASE_URL$/)]]);
  });

  it('start says what to do with a half-initialized home', () => {
    const broken = join(folder, 'broken');
    mkdirSync(join(broken, 'postgres', 'base'), { recursive: true });
    const { status, lines } = run(['start'], { PORT: '0', DONORLENS_HOME: broken });
    expect(status).toBe(3);
    expect(lines.at(-1)).toContain('is half initialised: delete it and start again');
  });
});
