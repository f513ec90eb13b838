import { messageOf } from '../exit-code';
import { type RoleProcess, type RoleRun, startRole } from './roles';
import { type Run } from './supervisor';

/**
 * Starts a role from its spare process, if there is one. A spare process has already loaded its modules, which takes
 * most of the CPU time of a start, and waits.
 */
export class SpareProcess {
  private spare: RoleRun | null = null;
  private isPreparing = false;
  private isStopped = false;

  constructor(
    private readonly role: RoleProcess,
    private readonly warn: (message: string) => void,
  ) {}

  start(): Promise<Run> {
    const { spare } = this;
    this.spare = null;
    return spare?.begin() ? Promise.resolve(spare) : startRole(this.role);
  }

  /**
   * Starts a spare process unless there is one. Call it when the role is ready, so that it does not slow the start.
   * Never rejects: without a spare process, the role restarts more slowly.
   */
  async prepare(): Promise<void> {
    if (this.isStopped || this.isPreparing || this.spare !== null) return;
    this.isPreparing = true;
    try {
      await this.startSpare();
    } catch (error) {
      this.warn(`the spare process of ${this.role.name} did not start: ${messageOf(error)}`);
    } finally {
      this.isPreparing = false;
    }
  }

  private async startSpare(): Promise<void> {
    const spare = await startRole({ ...this.role, args: ['--spare'] });
    if (this.isStopped) return spare.stop(true);
    this.spare = spare;
    void spare.ended.then(() => {
      if (this.spare === spare) this.spare = null;
    });
  }

  /** Ends the spare process; the supervisor stops the role itself. */
  async stop(): Promise<void> {
    this.isStopped = true;
    await this.spare?.stop(true);
  }
}
