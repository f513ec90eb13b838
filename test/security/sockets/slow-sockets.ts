import { connect, type Socket } from 'node:net';

/** How a client keeps a connection open. */
export type Slowness = 'no bytes' | 'slow headers' | 'slow body' | 'idle after an answer';

export const SLOWNESSES: readonly Slowness[] = ['no bytes', 'slow headers', 'slow body', 'idle after an answer'];

const EVERY_MS = 1000;

/** One slow connection. */
export class SlowSocket {
  /** Bytes that the api has sent. */
  answer = '';
  /** Milliseconds until the connection ended; undefined while it is open. */
  endedAfterMs: number | undefined;
  refused = false;
  private readonly began = performance.now();
  private readonly socket: Socket;
  private readonly timer: NodeJS.Timeout;

  constructor(
    readonly slowness: Slowness,
    port: number,
    key: string,
  ) {
    this.socket = connect({ port, host: '127.0.0.1' });
    this.socket.on('data', (piece) => (this.answer += piece.toString('latin1').slice(0, 200)));
    this.socket.on('error', (error: NodeJS.ErrnoException) => (this.refused ||= error.code === 'ECONNREFUSED'));
    this.socket.on('close', () => {
      clearInterval(this.timer);
      this.endedAfterMs = performance.now() - this.began;
    });
    this.socket.write(beginningOf(slowness, key));
    this.timer = setInterval(() => this.drip(), EVERY_MS);
  }

  destroy(): void {
    clearInterval(this.timer);
    this.socket.destroy();
  }

  /** Sends one more byte, so that the connection is not idle. */
  private drip(): void {
    if (this.socket.writable && this.slowness.startsWith('slow')) this.socket.write('x');
  }
}

function beginningOf(slowness: Slowness, key: string): string {
  if (slowness === 'no bytes') return '';
  if (slowness === 'slow headers') return 'GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ';
  if (slowness === 'idle after an answer') return 'GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n';
  const head = [
    'POST /enrich/v1/age_gender HTTP/1.1',
    'Host: x',
    `X-API-Key: ${key}`,
    'Content-Type: application/json',
  ];
  return `${[...head, 'Content-Length: 100000'].join('\r\n')}\r\n\r\n`;
}
