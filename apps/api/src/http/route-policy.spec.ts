import fastify from 'fastify';
import { RouteTable } from './route-policy';

describe('route table', () => {
  it('finds the methods of a path with and without a trailing slash', async () => {
    const table = new RouteTable();
    const app = fastify();
    table.watch(app);
    app
      .get('/a/:id', () => '')
      .delete('/a/:id', () => '')
      .post('/a', () => '')
      .get('/', () => '');
    await app.ready();
    expect(table.methodsOf('/a/7')).toEqual(['DELETE', 'GET', 'HEAD']);
    expect(table.methodsOf('/a/')).toEqual(['POST']);
    expect(table.methodsOf('/')).toEqual(['GET', 'HEAD']);
    expect(table.methodsOf('/a/7/b')).toEqual([]);
  });
});
