import { setTimeout as pause } from 'node:timers/promises';
import { type RunningServer } from '@donorlens/local-servers';

const RETRY_MS = 500;

/** A Postgres or Redis that is restarted at the same address when it is killed. */
export class SupervisedServer {
  private stopping = false;
  private restarting: Promise<void> | undefined;
  deaths = 0;

  constructor(
    readonly name: string,
    private server: RunningServer,
  ) {
    this.watch();
  }

  /** Contains the password. */
  get url(): string {
    return this.server.url;
  }

  get port(): number {
    return this.server.port;
  }

  get pid(): number {
    return this.server.pid;
  }

  get version(): string {
    return this.server.version;
  }

  /** kill -9; the server restarts unless `stayDown`. Resolves when the process has ended. */
  async kill({ stayDown = false } = {}): Promise<void> {
    await this.restarting;
    if (stayDown) this.stopping = true;
    const gone = new Promise<void>((done) => this.server.onExit(() => done()));
    process.kill(this.server.pid, 'SIGKILL');
    await gone;
  }

  /** Starts the server after a kill with `stayDown` or after stop(). */
  async start(): Promise<void> {
    this.stopping = false;
    await this.restart();
  }

  /** Resolves when a running restart has finished. */
  async restarted(): Promise<void> {
    await this.restarting;
  }

  async stop(): Promise<void> {
    this.stopping = true;
    await this.restarting;
    await this.server.stop();
  }

  private watch(): void {
    this.server.onExit(() => {
      if (this.stopping) return;
      this.deaths++;
      this.restarting = this.restart();
    });
  }

  /** Retries, because a server exits during its start while its disk is full. */
  private async restart(): Promise<void> {
    for (let isUp = false; !isUp && !this.stopping;)
      isUp = await this.server.restart().then(
        (server) => {
          this.server = server;
          this.watch();
          return true;
        },
        () => pause(RETRY_MS).then(() => false),
      );
    this.restarting = undefined;
  }
}
