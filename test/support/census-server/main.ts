/**
 * A synthetic Census Geocoder on this machine, for a demo without the real one:
 *
 *     node dist/test/support/census-server/main.js --port 4000
 *     GEOCODER_URL=http://127.0.0.1:4000/geocoder npm start
 */
import { parseArgs } from 'node:util';
import { CensusServer } from './census-server';
import { FAULT_NAMES, type FaultName } from './faults';

const USAGE = `usage: census-server [--port N] [--recording FILE] [--latency-ms N] [--seed N] [--retry-after SECONDS] [--fault NAME[=PROBABILITY]]...
  --recording    outcomes of a recorded answer of the batch service, for the addresses in it
  --fault        what goes wrong: always, or in so many calls of one; may be given several times
                 ${FAULT_NAMES.join(' ')}
  --retry-after  what the answers 429 and 503 say
Addresses have synthetic outcomes, the same in every run. Counts of calls and rows are written to stderr every second.
`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '4000' },
      recording: { type: 'string' },
      'latency-ms': { type: 'string', default: '0' },
      seed: { type: 'string', default: '1' },
      'retry-after': { type: 'string' },
      fault: { type: 'string', multiple: true, default: [] },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return void process.stdout.write(USAGE);
  const faults = values.fault.map(faultOf);
  const server = await CensusServer.start({
    port: whole(values.port),
    recording: values.recording,
    latencyMs: whole(values['latency-ms']),
    seed: whole(values.seed),
  });
  const retryAfter = values['retry-after'] === undefined ? undefined : whole(values['retry-after']);
  for (const { name, probability } of faults) server.faults.set(name, { probability, retryAfter });
  process.stdout.write(`${server.url}\n`);
  const counting = setInterval(() => process.stderr.write(`${countsOf(server)}\n`), 1000);
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.once(signal, () => (clearInterval(counting), void server.stop()));
}

/** @throws Error for an unknown fault or an invalid probability */
function faultOf(text: string): { name: FaultName; probability: number } {
  const [name, share = '1'] = text.split('=');
  const probability = Number(share);
  if (!(FAULT_NAMES as readonly string[]).includes(name)) throw new Error(`no such fault: ${name}`);
  if (!(probability >= 0 && probability <= 1)) throw new Error(`not a probability: ${share}`);
  return { name: name as FaultName, probability };
}

function whole(text: string): number {
  if (!/^\d+$/.test(text)) throw new Error(`not a whole number: ${text}`);
  return Number(text);
}

function countsOf({ log }: CensusServer): string {
  const failed = log.calls.filter(({ isOver, answeredOk }) => isOver && !answeredOk).length;
  return (
    `calls ${log.calls.length} (failed ${failed}, in flight ${log.inFlight}, at most ${log.maxInFlight}) ` +
    `rows ${log.rowsReceived} (answered ${log.rowsAnsweredOk}, twice ${log.rowsAnsweredTwice}, distinct ${log.distinctRows.size})`
  );
}

main().catch((error: Error) => {
  process.stderr.write(`${error.message}\n${USAGE}`);
  process.exitCode = 2;
});
