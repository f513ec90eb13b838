import { once } from 'node:events';
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { type Address } from './address';
import { type Answer, Refused, html, refusal } from './answer';
import { type CallKind } from './call-kind';
import { CallLog, type RunningCall } from './call-log';
import { Faults } from './faults';
import { RecordedAnswers } from './recording';
import { Responder } from './responder';
import { CallFaults, send } from './send';
import { type Planted, type Truth, Truths } from './truth';

export interface CensusServerOptions {
  /** Default: any free port. */
  readonly port?: number;
  /** Path of a recorded answer of the batch service. Its addresses get the recorded outcomes. */
  readonly recording?: string;
  /** Delay before every answer; `faults.set('latency', …)` has precedence. */
  readonly latencyMs?: number;
  /** Seed of the order of rows and of faults by probability. */
  readonly seed?: number;
}

/**
 * A server with the protocol of the Census Geocoder, for tests and demos: batches, single lookups, lists of settings.
 * Outcomes are synthetic but constant for an address; tests set failures on `faults`.
 */
export class CensusServer {
  readonly log = new CallLog();
  readonly faults: Faults;
  private readonly truths: Truths;
  private readonly responder: Responder;
  private server: Server | null = null;
  private port: number;

  private constructor(private readonly options: CensusServerOptions) {
    this.port = options.port ?? 0;
    this.faults = new Faults(options.seed ?? 1);
    this.truths = new Truths(options.recording ? new RecordedAnswers(options.recording) : null);
    this.responder = new Responder(this.truths, options.seed ?? 1);
  }

  static async start(options: CensusServerOptions = {}): Promise<CensusServer> {
    const census = new CensusServer(options);
    await census.up();
    return census;
  }

  /** Without a trailing slash. */
  get url(): string {
    return `http://127.0.0.1:${this.port}/geocoder`;
  }

  /** Sets the answer for an address in any spelling. */
  plant(address: Address, outcome: Planted): void {
    this.truths.plant(address, outcome);
  }

  /** The answer for an address if no fault applies. */
  truthOf(address: Address, vintage?: string): Truth {
    return this.truths.of(address, vintage);
  }

  /** Listens; after `down`, on the same port. */
  async up(): Promise<void> {
    if (this.server) return;
    const server = createServer((request, response) => void this.take(request, response));
    server.keepAliveTimeout = 0; // only `faults` may reset connections
    server.listen(this.port, '127.0.0.1');
    await once(server, 'listening');
    this.port = (server.address() as AddressInfo).port;
    this.server = server;
  }

  /** Closes the port and all connections. */
  async down(): Promise<void> {
    const server = this.server;
    this.server = null;
    if (!server) return;
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  }

  async stop(): Promise<void> {
    await this.down();
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const kind = kindOf(request);
    if (!kind) return void answerAt(response, html('HTTP 404', 404));
    const call = this.log.begin(kind);
    response.once('finish', () => this.log.end(call, response.statusCode));
    response.once('close', () => this.log.end(call, null));
    try {
      await this.answer(call, request, response);
    } catch (error) {
      answerAt(response, error instanceof Refused ? refusal(error) : html('A mistake of this server', 500));
    }
  }

  private async answer(call: RunningCall, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const asked = await this.responder.read(call.kind, request);
    this.log.asked(call, asked.addresses);
    const faults = new CallFaults(this.faults, call);
    await send(response, () => asked.answer((fault) => faults.strikes(fault) !== null), faults, this.latencyMs);
  }

  private get latencyMs(): number {
    return this.options.latencyMs ?? 0;
  }
}

function answerAt(response: ServerResponse, { status, headers, body }: Answer): void {
  if (!response.headersSent) response.writeHead(status, headers);
  response.end(body);
}

const ROUTES: readonly [RegExp, CallKind][] = [
  [/^POST \/geocoder\/(geographies|locations)\/addressbatch\/?(\?|$)/, 'batch'],
  [/^GET \/geocoder\/(geographies|locations)\/address\/?(\?|$)/, 'single'],
  [/^GET \/geocoder\/benchmarks\/?(\?|$)/, 'benchmarks'],
  [/^GET \/geocoder\/vintages\/?(\?|$)/, 'vintages'],
];

const kindOf = ({ method, url }: IncomingMessage): CallKind | undefined =>
  ROUTES.find(([route]) => route.test(`${method} ${url}`))?.[1];
