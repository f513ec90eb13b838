import { once } from 'node:events';
import { connect } from 'node:net';
import { runningApi } from '../../../../test/support/running-api';

it('closes although a client has connected and asked nothing', async () => {
  const api = await runningApi();
  const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
  await once(socket, 'connect');
  expect((await api.send('/health/live')).status).toBe(200); // by now the server has taken the connection, too
  const ended = once(socket, 'close');
  await api.close();
  await ended;
}, 30_000);
