import { type Server, createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';

export interface Span {
  readonly traceId: string;
  readonly name: string;
  readonly attributes: { readonly key: string; readonly value: unknown }[];
}

interface Sent {
  resourceSpans: { scopeSpans: { spans: Span[] }[] }[];
}

/** Receives traces by OTLP over HTTP, in JSON. */
export class TraceCollector {
  readonly spans: Span[] = [];
  /** All received text. */
  text = '';

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(): Promise<TraceCollector> {
    const server = createServer();
    await new Promise<void>((go) => server.listen(0, '127.0.0.1', go));
    const address = server.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const collector = new TraceCollector(server, `http://127.0.0.1:${port}`);
    server.on('request', (request, response) => {
      void buffer(request).then((body) => {
        if (request.url === '/v1/traces') collector.take(body.toString());
        response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      });
    });
    return collector;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private take(text: string): void {
    this.text += text;
    for (const { scopeSpans } of (JSON.parse(text) as Sent).resourceSpans)
      for (const { spans } of scopeSpans) this.spans.push(...spans);
  }
}

/** The values of a span's attributes by name. */
export const attributesOf = (span: Span): Record<string, unknown> =>
  Object.fromEntries(span.attributes.map(({ key, value }) => [key, Object.values(value as object)[0] as unknown]));
