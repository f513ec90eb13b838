import { once } from 'node:events';
import { type AddressInfo, type Server, type Socket, connect, createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { TcpProxy } from '../support/installation';
import { until } from '../support/until';

describe('a TCP proxy that injects network faults', () => {
  let echo: Server;
  let proxy: TcpProxy;
  let client: Socket;
  let received: string;
  beforeEach(async () => {
    echo = createServer((socket) => void socket.on('error', () => undefined).pipe(socket)).listen(0, '127.0.0.1');
    await once(echo, 'listening');
    proxy = await TcpProxy.to((echo.address() as AddressInfo).port);
    client = await dial();
  });
  afterEach(async () => {
    client.destroy();
    await proxy.close();
    echo.close();
  });
  const dial = async (): Promise<Socket> => {
    const socket = connect(proxy.port, '127.0.0.1');
    socket.on('error', () => undefined);
    received = '';
    socket.on('data', (piece) => (received += piece.toString()));
    await once(socket, 'connect');
    return socket;
  };
  /** `once` would reject on the error of a reset. */
  const closeOf = (socket: Socket) => new Promise<void>((done) => socket.once('close', () => done()));
  const arrives = (text: string): Promise<unknown> => until(`${text.length} bytes`, () => received === text);

  it('forwards all data in order when it injects no fault', async () => {
    const text = 'x'.repeat(1_000_000) + 'end';
    client.write(text);
    await arrives(text);
  });

  it('replaces only the port of a URL', () => {
    expect(proxy.through('postgres://u:p@127.0.0.1:5432/donorlens')).toBe(
      `postgres://u:p@127.0.0.1:${proxy.port}/donorlens`,
    );
  });

  it('holds data back while it is half-open, and delivers the data afterwards', async () => {
    proxy.set({ kind: 'half-open' });
    client.write('late');
    await pause(100);
    expect(received).toBe('');
    proxy.set({ kind: 'normal' });
    await arrives('late');
  });

  it('delays each piece and keeps the order', async () => {
    proxy.set({ kind: 'latency', ms: 40 });
    client.write('a');
    await pause(5);
    expect(received).toBe('');
    client.write('b');
    await arrives('ab');
  });

  it('limits the bandwidth, and loses nothing when it is normal again', async () => {
    const text = 'y'.repeat(20_000);
    proxy.set({ kind: 'slow', bytesPerSecond: 10_000 });
    client.write(text);
    await until('the first bytes', () => received.length > 0);
    expect(received.length).toBeLessThan(text.length);
    proxy.set({ kind: 'normal' });
    await arrives(text);
  });

  it('resets open and new connections until it is normal again', async () => {
    const closed = closeOf(client);
    proxy.set({ kind: 'reset' });
    await closed;
    const refused = connect(proxy.port, '127.0.0.1');
    refused.on('error', () => undefined);
    await closeOf(refused);
    proxy.set({ kind: 'normal' });
    client = await dial();
    client.write('again');
    await arrives('again');
  });
});
