import { setTimeout as pause } from 'node:timers/promises';
import { type Pool } from 'pg';
import { pick } from '../../seeded';
import { type Installation, type KeptProcess, until } from '../installation';
import { beginOf, leaseOf } from './written';

/** From the blow to the first moment of the next leader's term. */
export interface HandOver {
  readonly fault: string;
  readonly ms: number;
}

/** While a tick's work may be at any of its steps. */
const LATEST_MS = 1_500;
const FREEZE_MS = [3_000, 25_000] as const;
const LEADER_MS = 60_000;

/** Blows at whoever leads at the moment, one at a time. */
export class Strikes {
  readonly handOvers: HandOver[] = [];
  readonly struck = new Map<string, number>();
  private readonly under: Promise<unknown>[] = [];

  constructor(
    private readonly installation: Installation,
    private readonly pool: Pool,
    private readonly random: () => number,
  ) {}

  async next(): Promise<void> {
    const fault = pick(this.random, ['kill -9', 'kill -9', 'freeze', 'freeze', 'SIGTERM'] as const);
    const freezeMs = Math.round(FREEZE_MS[0] + (FREEZE_MS[1] - FREEZE_MS[0]) * this.random());
    await pause(LATEST_MS * this.random());
    const { epoch, process } = await this.leading();
    this.struck.set(fault, (this.struck.get(fault) ?? 0) + 1);
    const at = Date.now();
    if (fault === 'freeze') this.under.push(process.freeze(freezeMs));
    else process.signal(fault === 'kill -9' ? 'SIGKILL' : 'SIGTERM');
    this.under.push(this.handOver(fault, at, epoch, fault === 'freeze' ? freezeMs : LEADER_MS));
  }

  /** Resolves when nobody is frozen any more. */
  async over(): Promise<void> {
    await Promise.all(this.under);
  }

  private leading(): Promise<{ epoch: bigint; process: KeptProcess }> {
    const ask = async (): Promise<{ epoch: bigint; process: KeptProcess } | null> => {
      const lease = await leaseOf(this.pool);
      const process = this.installation.of('aggregator').find(({ pid }) => pid === lease?.pid);
      return lease && process?.isAlive ? { epoch: lease.epoch, process } : null;
    };
    return until('an aggregator leads', ask, LEADER_MS);
  }

  /** A leader that is itself again within its lease keeps it: then there is none. */
  private async handOver(fault: string, at: number, epoch: bigint, withinMs: number): Promise<void> {
    const begin = await until('the next leader', () => beginOf(this.pool, epoch + 1n), withinMs).catch(() => null);
    if (begin) this.handOvers.push({ fault, ms: begin.getTime() - at });
    else if (fault !== 'freeze') throw new Error(`nobody leads a minute after ${fault}`);
  }
}
