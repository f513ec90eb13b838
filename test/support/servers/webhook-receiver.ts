import {
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  createServer,
} from 'node:http';
import { type AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';

export interface ReceivedMessage {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

const answered = (status: number, headers: Record<string, string> = {}): Answer => {
  return (response) => response.writeHead(status, headers).end();
};

/** A receiver of webhooks on 127.0.0.1; it accepts every message by default. */
export class WebhookReceiver {
  readonly messages: ReceivedMessage[] = [];
  private answers: Answer[] = [];

  private constructor(private readonly server: Server) {}

  static async start(): Promise<WebhookReceiver> {
    const server = createServer((request, response) => {
      let body = '';
      request.on('data', (piece: Buffer) => (body += piece.toString()));
      request.on('end', () => receiver.take(request, response, body));
    });
    const receiver = new WebhookReceiver(server);
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    return receiver;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get host(): string {
    return `127.0.0.1:${this.port}`;
  }

  get url(): string {
    return `http://${this.host}/hook`;
  }

  /** Sets the answer to the next message; later messages are accepted again. */
  next(answer: Answer | number, headers?: Record<string, string>): void {
    this.answers.push(typeof answer === 'number' ? answered(answer, headers) : answer);
  }

  always(answer: Answer): void {
    this.answers = Array.from({ length: 1000 }, () => answer);
  }

  /** The content of a message, after its signature is verified. @throws WebhookVerificationError */
  verified(secret: string, { body, headers }: ReceivedMessage): Record<string, unknown> {
    return new Webhook(secret).verify(body, headers as Record<string, string>) as Record<string, unknown>;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((done) => this.server.close(done));
  }

  private take(request: IncomingMessage, response: ServerResponse, body: string): void {
    this.messages.push({ path: request.url ?? '', headers: request.headers, body });
    (this.answers.shift() ?? answered(204))(response, request);
  }
}
