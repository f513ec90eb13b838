import * as fc from 'fast-check';
import { KEY } from '../../support/installation';
import { type Report } from '../../../scripts/command/report';
import { type Answer, Asker, type WireRequest } from './ask';
import { curlOf } from './curl';
import { operationsAt, operationsOf } from './document';
import { type Finding, Findings } from './findings';
import { formsOf } from './forms';
import { faultsOfAnswer } from './judge';
import { type SentRequest, requestsOf, wireOf } from './requests';
import { type Kind } from './values';

/** Requests on their way at a time. */
const LANES = 12;
/** Requests of a lane with one seed; after a finding, its smallest request is looked for. */
const RUN = 250;
const KEPT_BATCHES = 64;

/** Sends requests to one api and keeps what is wrong with its answers. */
export class Fuzzer {
  readonly findings = new Findings();
  /** By kind of request and first digit of the status; `none` where nothing was answered. */
  readonly answers = new Map<string, number>();
  sent = 0;
  batchIds: string[] = [];
  private readonly asker: Asker;
  private readonly requests: fc.Arbitrary<SentRequest>;

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
        if (run % 40 === 0) process.stderr.write(`${this.sent} requests, ${this.findings.all.length} findings\n`);
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    this.asker.close();
  }

  lineOf(request: WireRequest): string {
    return curlOf(this.url, request);
  }

  /** A fault that is known stops nothing: a run goes on over it. */
  private async runOnce(requests: number, seed: number): Promise<void> {
    const known = new Set(this.findings.all.map(({ fault }) => fault));
    const fresh = new Set<string>();
    const property = fc.asyncProperty(this.requests, async (asked) => {
      const faults = (await this.faultsOf(this.wireOf(asked), asked.kind)).filter((fault) => !known.has(fault));
      for (const fault of faults) fresh.add(fault);
      return faults.length === 0;
    });
    const { failed, counterexample, numRuns } = await fc.check(property, { seed, numRuns: requests });
    if (!failed || counterexample === null) return;
    const [smallest] = counterexample;
    await this.askAgain(this.wireOf(smallest), smallest.kind);
    for (const { request } of this.findings.notSeenAgain(fresh)) await this.askAgain(request, smallest.kind);
    if (numRuns < requests) await this.runOnce(requests - numRuns, seed + 500_000);
  }

  private async askAgain(request: WireRequest, kind: Kind): Promise<void> {
    this.findings.repeat(await this.faultsOf(request, kind), request);
  }

  private wireOf(asked: SentRequest): WireRequest {
    return wireOf(asked, this.key, this);
  }

  /** What is wrong with the answer, or that there is none: kept before anything else is done about it. */
  private async faultsOf(request: WireRequest, kind: Kind): Promise<string[]> {
    this.sent++;
    const answer = await this.asker.ask(request).catch((error: Error) => error);
    const status = 'status' in answer ? answer.status : null;
    const counted = `${kind} ${status === null ? 'none' : `${Math.floor(status / 100)}xx`}`;
    this.answers.set(counted, (this.answers.get(counted) ?? 0) + 1);
    const [here] = operationsAt(this.operations, request.target.split(/[?#]/, 1)[0]);
    const place = `${request.method} ${here?.template ?? 'elsewhere'}`;
    const faults =
      'status' in answer
        ? faultsOfAnswer(this.operations, request, this.remembered(answer))
        : [`no answer: ${answer.message}`];
    return faults.map((fault) => this.kept(`${place}: ${fault}`, status, request));
  }

  private kept(fault: string, status: number | null, request: WireRequest): string {
    if (this.findings.keep(fault, status, request)) process.stderr.write(`${fault}\n  ${this.lineOf(request)}\n`);
    return fault;
  }

  /** Batches that were accepted are asked for later. */
  private remembered(answer: Answer): Answer {
    const id = /^\/enrich\/v1\/batches\/([^/?]+)/.exec(answer.headers.location ?? '')?.[1];
    if (answer.status === 202 && id !== undefined) this.batchIds = [id, ...this.batchIds].slice(0, KEPT_BATCHES);
    return answer;
  }
}

const KINDS = ['valid', 'boundary', 'mutated'] as const;
const DIGITS = ['2xx', '3xx', '4xx', '5xx', 'none'] as const;

/** Nothing of 5xx, nothing unanswered, nothing undocumented, and no process ended. */
export function reportOf(fuzzer: Fuzzer, deaths: number, seconds: number): Report {
  const { answers, findings, operationCount } = fuzzer;
  const counts = KINDS.map((kind) => DIGITS.map((digit) => answers.get(`${kind} ${digit}`) ?? 0));
  const found = findings.all;
  const lost = found.filter(({ again }) => again === null).length;
  return {
    columns: ['requests', 'sent', '2xx', '3xx', '4xx', '5xx', 'no answer'],
    rows: KINDS.map((kind, at) => [kind, counts[at].reduce((sum, count) => sum + count, 0), ...counts[at]]),
    notes: [
      `${operationCount} operations, ${Math.round(seconds)} seconds over ${LANES} connections; ${deaths} processes ended. Faults of answers: ${found.length}, of them not seen again when asked again: ${lost}.`,
      ...found.map((one) => toldOf(one, fuzzer)),
    ],
    passed: found.length === 0 && counts.every(([, , , failed, none]) => failed + none === 0) && deaths === 0,
  };
}

/** A line of a document; the whole of it was written while it was found. */
const MAX_LINE = 500;

function toldOf({ fault, status, times, request, again }: Finding, fuzzer: Fuzzer): string {
  const shown = (one: WireRequest): string => `\n\n    ${fuzzer.lineOf(one).slice(0, MAX_LINE)}`;
  const repeated = again === null ? '\n\nNot seen again when asked again.' : `\n\nSeen again:${shown(again)}`;
  return `Found ${times} times: ${fault} (status ${status ?? 'none'}). First seen:${shown(request)}${repeated}`;
}
