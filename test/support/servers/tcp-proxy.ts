import { type AddressInfo, type Server, type Socket, connect, createServer } from 'node:net';

/** State of a simulated network path. */
export type NetworkCondition =
  /** `dropExisting`: open connections stay open but deliver nothing, as after a firewall lost their state. */
  | { readonly kind: 'normal'; readonly dropExisting?: true }
  /** Data arrives later, in order. */
  | { readonly kind: 'latency'; readonly ms: number }
  /** Existing and new connections are reset. */
  | { readonly kind: 'reset' }
  /** Connections are accepted and stay open, but nothing arrives. */
  | { readonly kind: 'half-open' }
  | { readonly kind: 'slow'; readonly bytesPerSecond: number };

const NORMAL: NetworkCondition = { kind: 'normal' };
const SLICE_MS = 50;

/** A TCP proxy on the loopback interface whose condition can change. Held data arrives when it is normal again. */
export class TcpProxy {
  private condition: NetworkCondition = NORMAL;
  private readonly sockets = new Set<Socket>();
  private readonly directions = new Set<Direction>();

  private constructor(
    private readonly server: Server,
    private readonly targetPort: number,
  ) {}

  static async to(targetPort: number): Promise<TcpProxy> {
    const server = createServer({ pauseOnConnect: false, noDelay: true });
    const proxy = new TcpProxy(server, targetPort);
    server.on('connection', (client) => proxy.join(client));
    await new Promise<void>((done, fail) => server.once('error', fail).listen(0, '127.0.0.1', done));
    return proxy;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** The same URL through this proxy. */
  through(url: string): string {
    const address = new URL(url);
    address.port = String(this.port);
    return address.href;
  }

  set(condition: NetworkCondition): void {
    this.condition = condition;
    if (condition.kind === 'reset') for (const socket of this.sockets) socket.resetAndDestroy();
    if (condition.kind === 'normal' && condition.dropExisting)
      for (const direction of this.directions) direction.drop();
    for (const direction of this.directions) direction.wake();
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((done) => this.server.close(done));
  }

  private join(client: Socket): void {
    this.keep(client);
    if (this.condition.kind === 'reset') {
      client.resetAndDestroy();
      return;
    }
    const server = connect({ port: this.targetPort, host: '127.0.0.1', noDelay: true });
    this.keep(server);
    const current = () => this.condition;
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      const direction = new Direction(from, to, current);
      this.directions.add(direction);
      from.on('close', () => this.directions.delete(direction));
      from.on('close', () => to.destroy());
    }
  }

  private keep(socket: Socket): void {
    this.sockets.add(socket);
    socket.on('error', () => undefined); // the peer is closed by its close event
    socket.on('close', () => this.sockets.delete(socket));
  }
}

/** One direction of one connection. */
class Direction {
  private readonly held: { piece: Buffer; readonly due: number }[] = [];
  private ended = false;
  private isDropped = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly from: Socket,
    private readonly to: Socket,
    private readonly condition: () => NetworkCondition,
  ) {
    from.on('data', (piece) => this.take(piece));
    from.on('end', () => {
      this.ended = true;
      this.wake();
    });
    to.on('drain', () => this.wake());
    to.on('close', () => clearTimeout(this.timer));
  }

  /** Delivers nothing from now on in any condition. */
  drop(): void {
    this.isDropped = true;
    this.held.length = 0;
  }

  /** Re-evaluates the held data. */
  wake(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.move();
  }

  private take(piece: Buffer): void {
    const condition = this.condition();
    this.held.push({ piece, due: performance.now() + (condition.kind === 'latency' ? condition.ms : 0) });
    if (this.held.length > 64) this.from.pause(); // backpressure, as on a real slow path
    if (this.timer === undefined) this.move();
  }

  private move(): void {
    const condition = this.condition();
    if (condition.kind === 'half-open' || this.isDropped || this.to.destroyed) return;
    if (condition.kind === 'slow') this.trickle(Math.max(1, Math.round((condition.bytesPerSecond * SLICE_MS) / 1000)));
    else this.flush();
    if (this.held.length === 0 && this.ended) this.to.end();
    if (this.held.length < 32) this.from.resume();
  }

  private flush(): void {
    const now = performance.now();
    while (this.held.length > 0 && this.held[0].due <= now && !this.to.writableNeedDrain)
      this.to.write(this.held.shift()?.piece ?? '');
    if (this.held.length > 0 && !this.to.writableNeedDrain) this.again(this.held[0].due - now);
  }

  private trickle(bytes: number): void {
    let left = bytes;
    while (this.held.length > 0 && left > 0) {
      const { piece } = this.held[0];
      this.to.write(piece.subarray(0, left));
      if (piece.length > left) this.held[0].piece = piece.subarray(left);
      else this.held.shift();
      left -= Math.min(left, piece.length);
    }
    if (this.held.length > 0) this.again(SLICE_MS);
  }

  private again(ms: number): void {
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.move();
    }, ms);
  }
}
