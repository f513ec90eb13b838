import { createServer } from 'node:http';

/** The floor for a cached answer: the same bytes, held in memory, for whoever asks. */
process.once('message', ({ body }: { body: string }) => {
  const bytes = Buffer.from(body, 'base64');
  const headers = { 'content-type': 'text/csv; charset=utf-8', 'content-length': bytes.length };
  const server = createServer((_, response) => response.writeHead(200, headers).end(bytes));
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    process.send?.({ port: typeof address === 'object' && address ? address.port : 0 });
  });
});
process.on('disconnect', () => process.exit(0));
