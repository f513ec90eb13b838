import * as fc from 'fast-check';
import { chartsAreIn } from '../charts-are-in';
import { Installation, KEY } from '../installation';
import { whole } from '../options';
import { part, type Report } from '../report';
import { Asker } from './ask';
import { curlOf } from './curl';
import { operationsAt, operationsOf } from './document';
import { formsOf } from './forms';
import { faultsOfAnswer } from './judge';
import { type Asked, requestsOf, wireOf } from './requests';

/** Requests on their way at a time. */
const LANES = 12;
/** Requests of a lane with one seed; after a finding, its smallest request is looked for. */
const RUN = 250;
const KEPT_BATCHES = 64;

/** Requests of every kind made from our own /openapi.json; each answer is as documented there. */
export const fuzz = part({
  what: 'requests made from /openapi.json, right and wrong ones',
  options: { requests: whole(100_000, 1), seed: whole(1) },
  async run({ requests, seed }) {
    const installation = await Installation.start({
      processes: { api: 1, worker: 1, aggregator: 1 },
      queue: 'redis',
      tuning: 'test',
      environment: { LOG_LEVEL: 'warn', BATCH_TTL_HOURS: '1' },
    });
    try {
      const [url] = installation.apiUrls;
      await chartsAreIn(url);
      const started = performance.now();
      const fuzzer = await Fuzzer.at(url);
      await fuzzer.run(requests, seed);
      const deaths = installation.processes.reduce((sum, kept) => sum + kept.deaths, 0);
      return reportOf(fuzzer, deaths, (performance.now() - started) / 1000);
    } finally {
      await installation.stop();
    }
  },
});

/** Sends requests to one api and keeps what is wrong with its answers. */
export class Fuzzer {
  readonly findings = new Map<string, string>();
  /** Answers by kind of request and first digit of their status. */
  readonly answers = new Map<string, number>();
  readonly reached = new Set<string>();
  sent = 0;
  batchIds: string[] = [];
  private readonly asker: Asker;
  private readonly requests: fc.Arbitrary<Asked>;

  private constructor(
    private readonly url: string,
    private readonly key: string,
    private readonly operations: Awaited<ReturnType<typeof operationsOf>>,
  ) {
    this.asker = new Asker(url, LANES);
    this.requests = requestsOf(operations);
  }

  /** @param forms  also what forms of pages send: operators' actions change what others see */
  static async at(url: string, { key = KEY, forms = true } = {}): Promise<Fuzzer> {
    const documented = await operationsOf(url);
    return new Fuzzer(url, key, forms ? [...documented, ...formsOf(documented)] : documented);
  }

  get operationCount(): number {
    return this.operations.length;
  }

  async run(requests: number, seed: number): Promise<void> {
    const runs = Math.ceil(requests / RUN);
    let next = 0;
    const lane = async (): Promise<void> => {
      for (let run = next++; run < runs; run = next++) {
        await this.runOnce(Math.min(RUN, requests - run * RUN), seed * 1_000_000 + run);
        if (run % 40 === 0) process.stderr.write(`${this.sent} requests, ${this.findings.size} findings\n`);
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    this.asker.close();
  }

  /** The same finding is told once: a run goes on over the ones that are known. */
  private async runOnce(requests: number, seed: number): Promise<void> {
    const before = new Set(this.findings.keys());
    const property = fc.asyncProperty(this.requests, async (asked) => {
      const faults = (await this.faultsOf(asked)).filter((fault) => !before.has(fault));
      return faults.length === 0;
    });
    const { failed, counterexample, numRuns } = await fc.check(property, { seed, numRuns: requests });
    if (!failed || counterexample === null) return;
    const [smallest] = counterexample;
    const line = curlOf(this.url, wireOf(smallest, this.key, this));
    for (const fault of await this.faultsOf(smallest)) this.keep(fault, line);
    if (numRuns < requests) await this.runOnce(requests - numRuns, seed + 500_000);
  }

  private keep(fault: string, line: string): void {
    if (this.findings.has(fault)) return;
    this.findings.set(fault, line);
    process.stderr.write(`${fault}\n  ${line.slice(0, 2000)}\n`);
  }

  private async faultsOf(asked: Asked): Promise<string[]> {
    const request = wireOf(asked, this.key, this);
    this.sent++;
    const answer = await this.asker.ask(request).catch((error: Error) => error);
    if (answer instanceof Error) return [`no answer: ${answer.message}`];
    const kind = `${asked.kind} ${Math.floor(answer.status / 100)}xx`;
    this.answers.set(kind, (this.answers.get(kind) ?? 0) + 1);
    this.remember(answer.status, answer.headers.location);
    const [here] = operationsAt(this.operations, request.target.split(/[?#]/, 1)[0]);
    if (answer.status < 400) this.reached.add(`${request.method} ${here?.template}`);
    return faultsOfAnswer(this.operations, request, answer);
  }

  /** Batches that were accepted are asked for later. */
  private remember(status: number, location: string | undefined): void {
    const id = /^\/enrich\/v1\/batches\/([^/?]+)/.exec(location ?? '')?.[1];
    if (status === 202 && id !== undefined) this.batchIds = [id, ...this.batchIds].slice(0, KEPT_BATCHES);
  }
}

const KINDS = ['valid', 'boundary', 'mutated'] as const;

function reportOf(fuzzer: Fuzzer, deaths: number, seconds: number): Report {
  const count = (kind: string, digit: number): number => fuzzer.answers.get(`${kind} ${digit}xx`) ?? 0;
  const digits = [2, 3, 4, 5];
  return {
    document: 'security',
    columns: ['requests', 'sent', '2xx', '3xx', '4xx', '5xx'],
    rows: KINDS.map((kind) => [
      kind,
      digits.reduce((sum, digit) => sum + count(kind, digit), 0),
      ...digits.map((digit) => count(kind, digit)),
    ]),
    notes: [
      `${fuzzer.operationCount} operations, ${Math.round(seconds)} seconds over ${LANES} connections; ${deaths} processes ended. Answers that are not as documented: ${fuzzer.findings.size}.`,
      ...[...fuzzer.findings].map(([fault, line]) => `Found: ${fault}\n\n    ${line.slice(0, 500)}`),
    ],
    passed: fuzzer.findings.size === 0 && deaths === 0,
  };
}
