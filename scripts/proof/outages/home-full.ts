import { execFile } from 'node:child_process';
import { createReadStream, rmSync } from 'node:fs';
import { type AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:http';
import { join, normalize } from 'node:path';
import { type Installation, ROOT, SAMPLE } from '../installation';
import { type Findings, type Outage, onItsOwn } from './outage';
import { Asking, OF_NAMES, ok, told } from './questions';
import { Sending, isWhole, toldCount } from './sending';
import { SmallDisk } from './small-disk';

const MEGABYTES = 64;
const SETTLE_MS = 120_000;
const REFRESH_MS = 60_000;

/** A publisher of the sample. */
async function publisher(): Promise<Server> {
  const server = createServer((request, response) => {
    const file = createReadStream(join(SAMPLE, normalize(request.url ?? '/')));
    file.on('error', () => response.writeHead(404).end());
    file.pipe(response);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return server;
}

/** `donorlens refresh`: its exit code and what it says last. Without waiting for it here, who is its publisher. */
const refreshed = ({ environment }: Installation): Promise<{ code: unknown; said: string }> =>
  new Promise((done) => {
    const env = { PATH: process.env.PATH, ...environment };
    const args = [join(ROOT, 'dist/apps/cli/src/main.js'), 'refresh'];
    execFile(process.execPath, args, { env, timeout: REFRESH_MS }, (error, _, stderr) =>
      done({ code: error ? error.code : 0, said: stderr.trim().split('\n').at(-1) ?? '' }),
    );
  });

async function work(installation: Installation, findings: Findings, disk: SmallDisk): Promise<void> {
  const { apiUrls, environment } = installation;
  rmSync(join(environment.DONORLENS_HOME, 'releases'), { recursive: true });
  rmSync(join(environment.DONORLENS_HOME, 'downloads'), { recursive: true, force: true });
  disk.fill();
  const refused = await refreshed(installation);
  findings.add(
    `refresh: exit code ${String(refused.code)} (“${refused.said.replace(disk.path, '…')}”)`,
    refused.code !== 0 && /ENOSPC/.test(refused.said),
  );
  for (const kept of [...installation.of('api'), ...installation.of('worker')]) {
    await kept.stop();
    kept.start();
  }
  await installation.ready();
  findings.add('api and worker start without the release on their disk');
  const asking = new Asking(apiUrls, OF_NAMES);
  const sending = new Sending(apiUrls, 'h');
  for (let n = 0; n < 5; n++) await sending.send();
  await sending.settled(SETTLE_MS);
  const tally = await asking.stop();
  findings.add(`endpoints 1 to 4, ${told(tally)}`, ok(tally));
  findings.add(sending.told, sending.answers.get('202') === 5);
  const count = await sending.counted();
  findings.add(toldCount(count, sending.accepted.length), isWhole(count));
  disk.makeRoom();
  const again = await refreshed(installation);
  findings.add(
    again.code === 0
      ? 'refresh works again when there is room'
      : `refresh: exit code ${String(again.code)} (“${again.said}”)`,
    again.code === 0,
  );
}

export const homeFull: Outage = {
  what: () => `The disk of DONORLENS_HOME full (tmpfs of ${MEGABYTES} MB), the release not on it yet`,
  promised: 'a download says that it cannot be stored, roles start and answer all the same, batches finish',
  run: async () => {
    const disk = SmallDisk.mount(MEGABYTES);
    const server = await publisher();
    const environment = {
      DONORLENS_HOME: join(disk.path, 'home'),
      DATA_SOURCE: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    };
    try {
      return await onItsOwn({ queue: 'redis', environment }, (installation, findings) =>
        work(installation, findings, disk),
      );
    } finally {
      server.close();
      disk.unmount();
    }
  },
};
