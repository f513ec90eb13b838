import { createServer, type RequestListener } from 'node:http';

/** The answer of the baseline: fixed bytes, or one fixed result for each query of the request body. */
export type Served = { readonly body: string; readonly contentType: string } | { readonly results: readonly unknown[] };

function bytesOf({ body, contentType }: { body: string; contentType: string }): RequestListener {
  const bytes = Buffer.from(body, 'base64');
  const headers = { 'content-type': contentType, 'content-length': bytes.length };
  return (_, response) => response.writeHead(200, headers).end(bytes);
}

const jsonOf =
  ({ results }: { results: readonly unknown[] }): RequestListener =>
  (request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { queries } = JSON.parse(Buffer.concat(parts).toString()) as { queries: unknown[] };
      const body = JSON.stringify({ results: queries.map((_, i) => results[i]) });
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
      response.end(body);
    });
  };

// Runs as a separate process with node:http only.
process.once('message', (served: Served) => {
  const server = createServer('results' in served ? jsonOf(served) : bytesOf(served));
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    process.send?.({ port: typeof address === 'object' && address ? address.port : 0 });
  });
});
process.on('disconnect', () => process.exit(0));
