import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import { runningApi } from '../../../../test/support/service/running-api';
import { createAdapter } from './fastify-server';

it('the server closes even if a client has connected and sent no request', async () => {
  const api = await runningApi();
  const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
  await once(socket, 'connect');
  expect((await api.send('/health/live')).status).toBe(200); // the server has now accepted the connection above
  const ended = once(socket, 'close');
  await api.close();
  await ended;
});

it('the server closes after the last response, even if the client keeps the connection open', async () => {
  const fastify = createAdapter().getInstance();
  const asked = new Promise<() => void>((arrived) => {
    fastify.get('/', (_request, reply) => arrived(() => void reply.send('late, and whole')));
  });
  await fastify.listen({ port: 0, host: '127.0.0.1' });
  const { port } = fastify.server.address() as AddressInfo;
  const agent = new Agent({ keepAlive: true });
  const answered = once(get({ port, agent }), 'response') as Promise<[IncomingMessage]>;
  const answer = await asked;
  const closed = fastify.close();
  answer();
  expect(await text((await answered)[0])).toBe('late, and whole');
  await closed;
  agent.destroy();
});

it('the server completes a response that a client is reading before it closes', async () => {
  const fastify = createAdapter().getInstance();
  const bytes = 20_000_000; // more than the socket buffers hold
  fastify.get('/', (_request, reply) => void reply.send(Buffer.alloc(bytes)));
  await fastify.listen({ port: 0, host: '127.0.0.1' });
  const { port } = fastify.server.address() as AddressInfo;
  const [response] = (await once(get({ port }), 'response')) as [IncomingMessage];
  const closed = fastify.close();
  expect((await buffer(response)).length).toBe(bytes);
  await closed;
});
