import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { createAdapter } from './fastify-server';
import { Problem } from './problem';
import { sendProblem } from './problem.filter';

it('the api closes the connection of a client whose body timed out', async () => {
  const fastify = createAdapter().getInstance();
  fastify.post('/', (request, reply) =>
    sendProblem(request, reply, new Problem('request-timeout', 'It took too long.')),
  );
  await fastify.listen({ port: 0, host: '127.0.0.1' });
  const socket = connect((fastify.server.address() as AddressInfo).port, '127.0.0.1').resume();
  socket.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-type: text/csv\r\ncontent-length: 100\r\n\r\nx');
  await once(socket, 'end');
  socket.destroy();
  await fastify.close();
});
