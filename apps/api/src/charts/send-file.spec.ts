import { createServer, get, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { endWhenStalled } from './send-file';

const STALL_MS = 50;

describe('a response whose client has stopped reading', () => {
  let server: Server;
  afterEach(() => server.close());

  const answerOf = (listener: RequestListener): Promise<IncomingMessage> =>
    new Promise((resolve) => {
      server = createServer(listener).listen(0, () => get({ port: (server.address() as AddressInfo).port }, resolve));
    });

  it('is ended', async () => {
    const ended = new Promise<void>((resolve) => {
      void answerOf((_request, response) => {
        endWhenStalled(response, STALL_MS);
        response.once('close', resolve);
        response.write(Buffer.alloc(64 * 1024 * 1024)); // more than any socket takes at once
      }).then((answer) => answer.on('error', () => undefined).pause());
    });
    await expect(ended).resolves.toBeUndefined();
  });

  it('is not ended while the server has no bytes for it', async () => {
    const answer = await answerOf((_request, response) => {
      endWhenStalled(response, STALL_MS);
      response.write('a');
      setTimeout(() => response.end('b'), 4 * STALL_MS);
    });
    const pieces: Buffer[] = [];
    for await (const piece of answer) pieces.push(piece as Buffer);
    expect(Buffer.concat(pieces).toString()).toBe('ab');
  });
});
