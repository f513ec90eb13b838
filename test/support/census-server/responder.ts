import { type IncomingMessage } from 'node:http';
import { type Address } from './address';
import { type Answer, Refused, json } from './answer';
import { batchAnswer } from './batch-answer';
import { batchRequest } from './batch-request';
import { type CallKind } from './call-kind';
import { dice } from './draws';
import { type FaultName } from './faults';
import { BENCHMARKS, type Benchmark, type Vintage, benchmarkOf, vintageOf, vintagesOf } from './settings';
import { singleAnswer } from './single-answer';
import { type Truths } from './truth';

/** A request that was read and is valid. */
export interface RequestedCall {
  readonly addresses: readonly Address[];
  /** @param has - true if a fault of the content applies */
  answer(has: (fault: FaultName) => boolean): Answer;
}

/** Reads requests and returns their answers; it does not deliver them. */
export class Responder {
  constructor(
    private readonly truths: Truths,
    private readonly seed: number,
  ) {}

  /** @throws Refused if the service refuses the request */
  async read(kind: CallKind, request: IncomingMessage): Promise<RequestedCall> {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    const withGeographies = url.pathname.startsWith('/geocoder/geographies');
    if (kind === 'batch') return this.batch(request, withGeographies);
    request.resume();
    if (kind === 'single') return this.single(url.searchParams, withGeographies);
    return { addresses: [], answer: () => json(this.settings(kind, url.searchParams)) };
  }

  private async batch(request: IncomingMessage, withGeographies: boolean): Promise<RequestedCall> {
    const { rows, ...names } = await batchRequest(request);
    const { vintage } = settingsOf(names.benchmark, names.vintage, withGeographies);
    return {
      addresses: rows,
      answer: (has) =>
        batchAnswer({
          rows,
          truthOf: (row) => this.truths.of(row, vintage?.vintageName),
          withGeographies,
          has: remembered(has),
          roll: dice(`${this.seed} ${rows.map(({ id }) => id).join(' ')}`),
        }),
    };
  }

  private single(query: URLSearchParams, withGeographies: boolean): RequestedCall {
    const { benchmark, vintage } = settingsOf(query.get('benchmark'), query.get('vintage'), withGeographies);
    const address = addressOf(query);
    return {
      addresses: [address],
      answer: (has) => {
        const truth = this.truths.of(address, vintage?.vintageName);
        return json(singleAnswer({ address, benchmark, vintage, truth, withLayerError: has('layer-error') }));
      },
    };
  }

  private settings(kind: 'benchmarks' | 'vintages', query: URLSearchParams): object {
    return kind === 'benchmarks'
      ? { benchmarks: BENCHMARKS }
      : { vintages: vintagesOf(knownBenchmark(query.get('benchmark'))) };
  }
}

/** Draws each fault once per answer, although the answer checks it for every row. */
function remembered(has: (fault: FaultName) => boolean): (fault: FaultName) => boolean {
  const known = new Map<FaultName, boolean>();
  return (fault) => {
    if (!known.has(fault)) known.set(fault, has(fault));
    return known.get(fault)!;
  };
}

function addressOf(query: URLSearchParams): Address {
  const field = (name: string): string => query.get(name) ?? '';
  const address = { street: field('street'), city: field('city'), state: field('state'), zip: field('zip') };
  if (address.street === '' || address.street.length > 100)
    throw new Refused('Street address cannot be empty and cannot exceed 100 characters');
  if (address.zip === '' && (address.city === '' || address.state === ''))
    throw new Refused('Specify House number and Street name along with City and State and/or ZIP Code');
  return address;
}

function knownBenchmark(value: string | null): Benchmark {
  const found = benchmarkOf(value);
  if (!found) throw new Refused('Benchmark name, or ID must be specified and must exist');
  return found;
}

function settingsOf(
  benchmarkName: string | null,
  vintageName: string | null,
  withGeographies: boolean,
): { benchmark: Benchmark; vintage: Vintage | null } {
  const benchmark = knownBenchmark(benchmarkName);
  if (!withGeographies) return { benchmark, vintage: null };
  const vintage = vintageOf(benchmark, vintageName);
  if (!vintage) throw new Refused('Vintage name, or ID must be specified and must exist for the benchmark');
  return { benchmark, vintage };
}
