import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';

/** A geocoder that matches every address after a fixed latency; it answers each message with its number of calls. */
const latencyMs = Number(process.argv[2] ?? 1000);
let calls = 0;
let firstAt = 0;
let lastAt = 0;

const server = createServer((request, response) => {
  if (request.url?.endsWith('/geographies/addressbatch')) answer(request, response);
  else response.writeHead(404).end();
});

function answer(request: IncomingMessage, response: ServerResponse): void {
  firstAt ||= performance.now();
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => {
    const lines = Buffer.concat(parts)
      .toString('latin1')
      .split(/\r?\n/)
      .filter((line) => /^\d+,/.test(line));
    setTimeout(() => {
      response.writeHead(200, { 'content-type': 'text/plain;charset=ISO-8859-1' });
      response.end(`${lines.map(matched).join('\n')}\n`);
      calls++;
      lastAt = performance.now();
    }, latencyMs);
  });
}

function matched(line: string): string {
  const comma = line.indexOf(',');
  const [id, input] = [line.slice(0, comma), line.slice(comma + 1).replaceAll(',', ', ')];
  return `"${id}","${input}","Match","Exact","${input.toUpperCase()}","-89.650148,39.781721","1","R","17","167","000100","1000"`;
}

process.on('message', () => process.send?.({ calls, ms: lastAt - firstAt }));
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.({ port: typeof address === 'object' && address ? address.port : 0 });
});
process.on('disconnect', () => process.exit(0));
