import { type AddressInfo, type Server, type Socket, connect, createServer } from 'node:net';

/** What a way through the network does to what is sent over it. */
export type Weather =
  /** `forgetting`: connections that are open stay so and nothing arrives on them any more, as after a firewall that forgot them. */
  | { readonly kind: 'fair'; readonly forgetting?: true }
  /** Every piece arrives so much later, in order. */
  | { readonly kind: 'latency'; readonly ms: number }
  /** Connections end with a reset, now and as long as it lasts. */
  | { readonly kind: 'reset' }
  /** Connections stay open, also new ones, and nothing arrives. */
  | { readonly kind: 'half-open' }
  | { readonly kind: 'slow'; readonly bytesPerSecond: number };

const FAIR: Weather = { kind: 'fair' };
const SLICE_MS = 50;

/** A TCP proxy on the loopback whose weather can be changed while connections are open. What was held back arrives once it is fair again. */
export class TcpProxy {
  private weather: Weather = FAIR;
  private readonly sockets = new Set<Socket>();
  private readonly lanes = new Set<Lane>();

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

  /** The same address by way of this proxy. */
  through(url: string): string {
    const address = new URL(url);
    address.port = String(this.port);
    return address.href;
  }

  set(weather: Weather): void {
    this.weather = weather;
    if (weather.kind === 'reset') for (const socket of this.sockets) socket.resetAndDestroy();
    if (weather.kind === 'fair' && weather.forgetting) for (const lane of this.lanes) lane.forget();
    for (const lane of this.lanes) lane.wake();
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((done) => this.server.close(done));
  }

  private join(client: Socket): void {
    this.keep(client);
    if (this.weather.kind === 'reset') {
      client.resetAndDestroy();
      return;
    }
    const server = connect({ port: this.targetPort, host: '127.0.0.1', noDelay: true });
    this.keep(server);
    const current = () => this.weather;
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      const lane = new Lane(from, to, current);
      this.lanes.add(lane);
      from.on('close', () => this.lanes.delete(lane));
      from.on('close', () => to.destroy());
    }
  }

  private keep(socket: Socket): void {
    this.sockets.add(socket);
    socket.on('error', () => undefined); // the other side is closed with it
    socket.on('close', () => this.sockets.delete(socket));
  }
}

/** One direction of one connection. */
class Lane {
  private readonly held: { piece: Buffer; readonly due: number }[] = [];
  private ended = false;
  private isForgotten = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly from: Socket,
    private readonly to: Socket,
    private readonly weather: () => Weather,
  ) {
    from.on('data', (piece) => this.take(piece));
    from.on('end', () => {
      this.ended = true;
      this.wake();
    });
    to.on('drain', () => this.wake());
    to.on('close', () => clearTimeout(this.timer));
  }

  /** Nothing arrives from now on, whatever the weather. */
  forget(): void {
    this.isForgotten = true;
    this.held.length = 0;
  }

  /** Looks anew at what is held back. */
  wake(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.move();
  }

  private take(piece: Buffer): void {
    const weather = this.weather();
    this.held.push({ piece, due: performance.now() + (weather.kind === 'latency' ? weather.ms : 0) });
    if (this.held.length > 64) this.from.pause(); // the sender feels a slow way, as it does in a real one
    if (this.timer === undefined) this.move();
  }

  private move(): void {
    const weather = this.weather();
    if (weather.kind === 'half-open' || this.isForgotten || this.to.destroyed) return;
    if (weather.kind === 'slow') this.trickle(Math.max(1, Math.round((weather.bytesPerSecond * SLICE_MS) / 1000)));
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
