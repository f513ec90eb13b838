import { fastify } from 'fastify';
import { gatherAnswers } from './gathered-answers';

it('answers that are made in one turn are all sent, and so is each of many that are alone', async () => {
  const server = fastify();
  gatherAnswers(server);
  server.get('/:n', (request, reply) => void reply.send((request.params as { n: string }).n));
  const asked = (n: number): Promise<string> => server.inject(`/${n}`).then(({ body }) => body);
  const numbers = Array.from({ length: 40 }, (_, n) => n);
  const together = async (): Promise<void> =>
    expect(await Promise.all(numbers.map(asked))).toEqual(numbers.map(String));
  await together();
  for (const n of numbers) expect(await asked(n)).toBe(String(n));
  await together();
  await server.close();
});
