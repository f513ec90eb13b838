import { createServer } from 'node:http';

/** The floor for a JSON bulk endpoint: parse the body, answer as many small objects, nothing else. */
const server = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => {
    const { queries } = JSON.parse(Buffer.concat(parts).toString()) as { queries: unknown[] };
    const body = JSON.stringify({ results: queries.map(() => ({ age: 47, gender: 'f' })) });
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
    response.end(body);
  });
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.({ port: typeof address === 'object' && address ? address.port : 0 });
});
process.on('disconnect', () => process.exit(0));
