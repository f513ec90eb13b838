import { Readable } from 'node:stream';
import { type FastifyInstance, fastify } from 'fastify';
import { groupResponses, yieldToEventLoop } from './request-scheduling';

const MANY = Array.from({ length: 40 }, (_, n) => n);

describe('responses of one iteration of the event loop', () => {
  let server: FastifyInstance;
  let order: string[];
  beforeEach(() => {
    order = [];
    server = fastify();
    server.decorateRequest('span', undefined);
    groupResponses(server);
    server.addHook('onSend', (request, _reply, payload, done) => {
      order.push(`sent ${request.url}`);
      done(null, payload);
    });
    server.get('/bad', (_request, reply) => void reply.header('x-bad', 'a\nb').send('never'));
    server.get('/stream', (_request, reply) => {
      const stream = new Readable({ read: () => undefined });
      process.nextTick(() => stream.destroy(new Error('gone at once')));
      void reply.send(stream);
    });
    server.get('/:n', (request, reply) => {
      order.push(`made ${request.url}`);
      void reply.send((request.params as { n: string }).n);
    });
  });
  afterEach(() => server.close());
  const asked = async (path: string): Promise<string> => (await server.inject(path)).body;

  it('are sent after all of them are created', async () => {
    expect(await Promise.all(['/1', '/2'].map(asked))).toEqual(['1', '2']);
    expect(order).toEqual(['made /1', 'made /2', 'sent /1', 'sent /2']);
  });

  it('are all sent, and single responses of an iteration are sent, too', async () => {
    const together = async (): Promise<void> =>
      expect(await Promise.all(MANY.map((n) => asked(`/${n}`)))).toEqual(MANY.map(String));
    await together();
    for (const n of MANY) expect(await asked(`/${n}`)).toBe(String(n));
    await together();
  });

  it('do not wait for long work', async () => {
    const working = Promise.all([yieldToEventLoop(), yieldToEventLoop()]);
    await Promise.all(['/1', '/2'].map(asked));
    await working;
    expect(order).toEqual(['made /1', 'sent /1', 'made /2', 'sent /2']);
  });

  it('fail individually if they cannot be sent', async () => {
    const answers = await Promise.all(['/1', '/bad', '/2'].map((path) => server.inject(path)));
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 500, 200]);
  });

  it('are sent immediately if they are streams, whose errors would otherwise be unhandled', async () => {
    await expect(server.inject('/stream')).resolves.toMatchObject({ statusCode: 500 });
    expect(order).toEqual(['sent /stream', 'sent /stream']); // the second one is the error response
  });
});
