import { join } from 'node:path';
import { type RunningServer } from '@donorlens/local-servers';
import { type Home } from '../home/home';
import { type KeptUnit, type Run, type RunEnd } from './keep-running';

interface ServerSteps<Server> {
  first(): Promise<Server>;
  /** The same server at the same URL. */
  again(last: Server): Promise<Server>;
  started?(server: Server): void;
}

/** A server of our own as a unit to keep alive. */
export class KeptServer<Server extends RunningServer> implements KeptUnit {
  private server: Server | null = null;

  constructor(
    readonly name: string,
    private readonly steps: ServerSteps<Server>,
  ) {}

  /** Of the last run. @throws before the first start */
  get running(): Server {
    if (!this.server) throw new Error(`${this.name} has not been started`);
    return this.server;
  }

  async start(): Promise<Run> {
    const server = await (this.server ? this.steps.again(this.server) : this.steps.first());
    this.server = server;
    this.steps.started?.(server);
    const ended = new Promise<RunEnd>((resolve) => server.onExit(({ code, signal }) => resolve({ code, signal })));
    return { pid: server.pid, ended, stop: () => server.stop() };
  }
}

export const serverLog = (home: Home, name: string): string => join(home.logs, `${name}.log`);
