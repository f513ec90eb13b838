import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import { runningApi } from '../../../../test/support/service/running-api';
import { createAdapter } from './fastify-server';

it('closes although a client has connected and asked nothing', async () => {
  const api = await runningApi();
  const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
  await once(socket, 'connect');
  expect((await api.send('/health/live')).status).toBe(200); // by now the server has taken the connection, too
  const ended = once(socket, 'close');
  await api.close();
  await ended;
});

it('closes once the last answer has left, although its client keeps the connection', async () => {
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

it('lets an answer that is being read leave as a whole', async () => {
  const fastify = createAdapter().getInstance();
  const bytes = 20_000_000; // more than the system takes off the server's hands
  fastify.get('/', (_request, reply) => void reply.send(Buffer.alloc(bytes)));
  await fastify.listen({ port: 0, host: '127.0.0.1' });
  const { port } = fastify.server.address() as AddressInfo;
  const [response] = (await once(get({ port }), 'response')) as [IncomingMessage];
  const closed = fastify.close();
  expect((await buffer(response)).length).toBe(bytes);
  await closed;
});
