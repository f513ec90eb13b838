/**
 * What is promised, shown by running it: each part starts an installation of its own on the loopback, does to it what
 * the part is about, and counts.
 *
 *     npm run proof                       the parts
 *     npm run proof -- chaos --seed 1     one part; exit code 1 where the promise was not kept
 *     npm run proof -- chaos --write      and put its table into its document
 */
import { authorization } from './authorization/authorization';
import { canary } from './canary/canary';
import { chaos } from './chaos/chaos';
import { crashPoints } from './crash-points/crash-points';
import { faultyCalls } from './faulty-calls/faulty-calls';
import { cluster } from './cluster/cluster';
import { load } from './load/load';
import { mutation } from './mutation/mutation';
import { outages } from './outages/outages';
import { packages } from './packages/packages';
import { recovery } from './recovery/recovery';
import { leader } from './leader/leader';
import { poison } from './poison/poison';
import { refresh } from './refresh/refresh';
import { soak } from './soak/soak';
import { stop } from './stop/stop';
import { fuzz } from './fuzz/fuzz';
import { sockets } from './sockets/sockets';
import { torture } from './torture/torture';
import { lineOf, type Part, runPart } from './report';

const PARTS: Readonly<Record<string, Part>> = {
  authorization,
  canary,
  chaos,
  'crash-points': crashPoints,
  'faulty-calls': faultyCalls,
  cluster,
  mutation,
  outages,
  packages,
  recovery,
  leader,
  load,
  poison,
  refresh,
  soak,
  stop,
  fuzz,
  sockets,
  torture,
};

function list(): number {
  for (const [name, part] of Object.entries(PARTS)) process.stdout.write(`${lineOf(name, part)}\n`);
  return 0;
}

async function main([name, ...args]: readonly string[]): Promise<number> {
  if (name === undefined || name === '--help') return list();
  if (!Object.hasOwn(PARTS, name)) {
    process.stderr.write(`no part ${name}: ${Object.keys(PARTS).join(', ')}\n`);
    return 2;
  }
  return runPart('proof', PARTS, name, args);
}

main(process.argv.slice(2)).then(
  (code) => process.exit(code),
  (error: Error) => {
    process.stderr.write(`${error.stack ?? error.message}\n`);
    process.exit(1);
  },
);
