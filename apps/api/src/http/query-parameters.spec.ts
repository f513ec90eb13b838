import { type FastifyRequest } from 'fastify';
import { z } from 'zod';
import { Problem } from './problem';
import { checkBodyMembers } from './query-parameters';

describe('query parameters in a JSON body', () => {
  const query = [
    { name: 'map.{field}', description: '', schema: z.string() },
    { name: 'limit', description: '', schema: z.array(z.string()) },
    { name: '0', description: '', schema: z.string() },
  ];
  const request = { routeOptions: { config: { policy: { query } } } } as unknown as FastifyRequest;

  function faultsOf(body: unknown): unknown {
    try {
      return checkBodyMembers(request, body);
    } catch (error) {
      return error instanceof Problem ? error.parts.faults : error;
    }
  }

  it('are rejected once each, without repeating text from a list', () => {
    expect(faultsOf({ 'map.a': 'x', 'map.b': 'y', limit: ['a person'] })).toEqual([
      { pointer: '/map.{field}', detail: 'belongs in the URL: ?map.{field}=…' },
      { pointer: '/limit', detail: 'belongs in the URL: ?limit=…' },
    ]);
  });

  it('are not searched in text and lists, whose indexes are keys, too', () => {
    expect(faultsOf({ 0: 'x' })).toHaveLength(1);
    expect(['text', ['x'], null].map(faultsOf)).toEqual([undefined, undefined, undefined]);
  });
});
