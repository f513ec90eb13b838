import { type KeptUnit, type RunEnd, KeepRunning } from './keep-running';

export interface Told {
  (level: 'info' | 'warn', message: string): void;
}

/** Holds everything one start keeps alive, in two groups: the servers, and the roles that use them. */
export class Supervisor {
  private readonly servers: KeepRunning[] = [];
  private readonly roles: KeepRunning[] = [];

  /** @param changed called when a process has begun, so that its new pid can be written down */
  constructor(
    private readonly told: Told,
    private readonly changed: () => void = () => undefined,
  ) {}

  /** Present process ids by name. */
  processes(): Record<string, number> {
    const running = [...this.servers, ...this.roles].filter(({ pid }) => pid !== undefined);
    return Object.fromEntries(running.map(({ name, pid }) => [name, pid ?? -1]));
  }

  startServer(unit: KeptUnit): Promise<void> {
    return this.start(this.servers, unit);
  }

  /** @param ended decides, for each end, whether the role starts again */
  startRole(unit: KeptUnit, ended: (end: RunEnd) => boolean): Promise<void> {
    return this.start(this.roles, unit, ended);
  }

  /** Roles first, since they finish their work against the servers. Calling it again with `force` kills the roles. */
  async stop(force = false): Promise<void> {
    await Promise.all(this.roles.map((role) => role.stop(force)));
    await Promise.all(this.servers.map((server) => server.stop(force)));
  }

  private async start(group: KeepRunning[], unit: KeptUnit, ended?: (end: RunEnd) => boolean): Promise<void> {
    const kept = new KeepRunning(unit, { ended, began: this.changed, said: this.told });
    group.push(kept);
    await kept.start();
  }
}
