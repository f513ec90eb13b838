import * as fc from 'fast-check';
import { KEY } from '../../support/installation';
import { type Report } from '../../../scripts/command/report';
import { type Answer, RequestSender, type WireRequest } from './request-sender';
import { curlOf } from './curl';
import { operationsAt, operationsOf } from './document';
import { type Finding, Findings } from './findings';
import { formsOf } from './forms';
import { faultsOfAnswer } from './answer-faults';
import { type SentRequest, requestsOf, wireOf } from './requests';
import { type Kind } from './values';

/** Concurrent requests. */
const CONNECTIONS = 12;
/** Requests with one seed; a finding is shrunk to its smallest request. */
const REQUESTS_PER_RUN = 250;
const MAX_BATCHES = 64;

/** Sends generated requests to one api and records the faults of its answers. */
export class Fuzzer {
  readonly findings = new Findings();
  /** By kind of request and first digit of the status; `none` without an answer. */
  readonly answers = new Map<string, number>();
  sent = 0;
  batchIds: string[] = [];
  private readonly sender: RequestSender;
  private readonly requests: fc.Arbitrary<SentRequest>;

  private constructor(
    private readonly url: string,
    private readonly key: string,
    private readonly operations: Awaited<ReturnType<typeof operationsOf>>,
  ) {
    this.sender = new RequestSender(url, CONNECTIONS);
    this.requests = requestsOf(operations);
  }

  /** @param forms - also send the requests of forms, among them operator actions */
  static async start(url: string, { key = KEY, forms = true } = {}): Promise<Fuzzer> {
    const documented = await operationsOf(url);
    return new Fuzzer(url, key, forms ? [...documented, ...formsOf(documented)] : documented);
  }

  get operationCount(): number {
    return this.operations.length;
  }

  async run(requests: number, seed: number): Promise<void> {
    const runs = Math.ceil(requests / REQUESTS_PER_RUN);
    let next = 0;
    const connection = async (): Promise<void> => {
      for (let run = next++; run < runs; run = next++) {
        await this.runOnce(Math.min(REQUESTS_PER_RUN, requests - run * REQUESTS_PER_RUN), seed * 1_000_000 + run);
        if (run % 40 === 0) process.stderr.write(`${this.sent} requests, ${this.findings.all.length} findings\n`);
      }
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, connection));
    this.sender.close();
  }

  curlOf(request: WireRequest): string {
    return curlOf(this.url, request);
  }

  /** Only a new fault ends a run; it is shrunk, and the run goes on after it. */
  private async runOnce(requests: number, seed: number): Promise<void> {
    const known = new Set(this.findings.all.map(({ fault }) => fault));
    const newFaults = new Set<string>();
    const property = fc.asyncProperty(this.requests, async (asked) => {
      const faults = (await this.faultsOf(this.wireOf(asked), asked.kind)).filter((fault) => !known.has(fault));
      for (const fault of faults) newFaults.add(fault);
      return faults.length === 0;
    });
    const { failed, counterexample, numRuns } = await fc.check(property, { seed, numRuns: requests });
    if (!failed || counterexample === null) return;
    const [smallest] = counterexample;
    await this.sendAgain(this.wireOf(smallest), smallest.kind);
    for (const { request } of this.findings.notRepeated(newFaults)) await this.sendAgain(request, smallest.kind);
    if (numRuns < requests) await this.runOnce(requests - numRuns, seed + 500_000);
  }

  private async sendAgain(request: WireRequest, kind: Kind): Promise<void> {
    this.findings.markRepeated(await this.faultsOf(request, kind), request);
  }

  private wireOf(asked: SentRequest): WireRequest {
    return wireOf(asked, this.key, this);
  }

  /** Faults of the answer, or that there is none; recorded at once. */
  private async faultsOf(request: WireRequest, kind: Kind): Promise<string[]> {
    this.sent++;
    const answer = await this.sender.send(request).catch((error: Error) => error);
    const status = 'status' in answer ? answer.status : null;
    const counted = `${kind} ${status === null ? 'none' : `${Math.floor(status / 100)}xx`}`;
    this.answers.set(counted, (this.answers.get(counted) ?? 0) + 1);
    const [here] = operationsAt(this.operations, request.target.split(/[?#]/, 1)[0]);
    const place = `${request.method} ${here?.template ?? 'undocumented path'}`;
    const faults =
      'status' in answer
        ? faultsOfAnswer(this.operations, request, this.rememberBatch(answer))
        : [`no answer: ${answer.message}`];
    return faults.map((fault) => this.record(`${place}: ${fault}`, status, request));
  }

  private record(fault: string, status: number | null, request: WireRequest): string {
    if (this.findings.add(fault, status, request)) process.stderr.write(`${fault}\n  ${this.curlOf(request)}\n`);
    return fault;
  }

  /** Ids of accepted batches are used in later requests. */
  private rememberBatch(answer: Answer): Answer {
    const id = /^\/enrich\/v1\/batches\/([^/?]+)/.exec(answer.headers.location ?? '')?.[1];
    if (answer.status === 202 && id !== undefined) this.batchIds = [id, ...this.batchIds].slice(0, MAX_BATCHES);
    return answer;
  }
}

const KINDS = ['valid', 'boundary', 'mutated'] as const;
const DIGITS = ['2xx', '3xx', '4xx', '5xx', 'none'] as const;

/** Passes without a 5xx, an unanswered request, an undocumented answer or a process exit. */
export function reportOf(fuzzer: Fuzzer, exits: number, seconds: number): Report {
  const { answers, findings, operationCount } = fuzzer;
  const counts = KINDS.map((kind) => DIGITS.map((digit) => answers.get(`${kind} ${digit}`) ?? 0));
  const found = findings.all;
  const lost = found.filter(({ repetition }) => repetition === null).length;
  return {
    columns: ['requests', 'sent', '2xx', '3xx', '4xx', '5xx', 'no answer'],
    rows: KINDS.map((kind, at) => [kind, counts[at].reduce((sum, count) => sum + count, 0), ...counts[at]]),
    notes: [
      `${operationCount} operations, ${Math.round(seconds)} seconds over ${CONNECTIONS} connections; ${exits} processes ended. Faults of answers: ${found.length}, of them not reproduced: ${lost}.`,
      ...found.map((one) => describeFinding(one, fuzzer)),
    ],
    passed: found.length === 0 && counts.every(([, , , failed, none]) => failed + none === 0) && exits === 0,
  };
}

/** The whole command was written to stderr when the fault was found. */
const MAX_LINE = 500;

function describeFinding({ fault, status, times, request, repetition }: Finding, fuzzer: Fuzzer): string {
  const shown = (one: WireRequest): string => `\n\n    ${fuzzer.curlOf(one).slice(0, MAX_LINE)}`;
  const repeated = repetition === null ? '\n\nNot reproduced.' : `\n\nReproduced by:${shown(repetition)}`;
  return `Found ${times} times: ${fault} (status ${status ?? 'none'}). First seen:${shown(request)}${repeated}`;
}
