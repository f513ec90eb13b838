import { type Server, createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** Takes traces and messages. */
export class Listener {
  traces = '';
  messages = '';

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(): Promise<Listener> {
    const server = createServer();
    await new Promise<void>((go) => server.listen(0, '127.0.0.1', go));
    const listener = new Listener(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    server.on('request', (request, response) => {
      void buffer(request).then((body) => {
        const text = `${JSON.stringify(request.headers)}\n${body.toString()}\n`;
        if (request.url === '/v1/traces') listener.traces += text;
        else listener.messages += text;
        response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      });
    });
    return listener;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((done) => this.server.close(done));
  }
}
