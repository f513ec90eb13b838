import { isTransientDatabaseError } from '@donorlens/database';
import { type Logger } from '@donorlens/observability';
import { withTimeout } from '@donorlens/primitives';
import { type Release } from './release';
import { type ReleaseCache } from './release-cache';
import { type ReleaseRepository } from './release.repository';

export interface ReleaseHolderOptions {
  readonly pollMs?: number;
  /** how long a release that is no longer active stays in memory after its last use */
  readonly keepMs?: number;
}

/** Without any data release, requests wait for the first one, so the pointer is read more often. */
const FIRST_POLL_MS = 250;
const AWAY = 'away';
/** Full data takes some 40 MB a release: one beside the active one, for batches that began before a swap. */
const OTHERS_IN_MEMORY = 1;

/**
 * The active release in this process. Checks every few seconds whether the pointer has moved, loads a new release
 * beside the old one and swaps the reference: a request keeps its release to its end.
 */
export class ReleaseHolder {
  private active: Release | null = null;
  private readonly others = new Map<string, { release: Release; usedAt: number }>();
  private readonly loading = new Map<string, Promise<Release>>();
  private timer: NodeJS.Timeout | undefined;
  private polling: Promise<void> | undefined;
  private stopped = false;
  private complaint = '';
  private readonly pollMs: number;
  private readonly keepMs: number;

  constructor(
    private readonly repository: Pick<ReleaseRepository, 'activeId'>,
    private readonly cache: Pick<ReleaseCache, 'load' | 'recordActiveAndPrune' | 'lastActive'>,
    private readonly logger: Logger,
    { pollMs = 5_000, keepMs = 60_000 }: ReleaseHolderOptions = {},
  ) {
    this.pollMs = pollMs;
    this.keepMs = keepMs;
  }

  /** null until the first release is loaded. */
  current(): Release | null {
    return this.active;
  }

  /**
   * A release by id, for work that began with it.
   * @throws UnknownReleaseError when it is no longer stored
   */
  async get(id: string): Promise<Release> {
    if (this.active?.id === id) return this.active;
    const other = this.others.get(id);
    const release = other?.release ?? (await this.loaded(id));
    if (this.active?.id !== id) this.setAside(release);
    return release;
  }

  /**
   * Loads the active release, then polls for changes. Never throws: errors are logged, and the next poll retries. While
   * the database is away, the release that was active last is used, if it is on this machine's disk.
   * @param waitMs - longest wait for the pointer before that release is used
   */
  async start(waitMs = 2_000): Promise<void> {
    const isAway = await withTimeout(waitMs, () => this.refreshNow()).then(
      () => this.complaint === AWAY,
      () => true,
    );
    if (isAway && !(await this.useLastActive())) await this.refreshNow();
    if (this.timer === undefined) this.schedule();
  }

  /** @returns false if this machine has none */
  private async useLastActive(): Promise<boolean> {
    const release = await this.cache.lastActive();
    if (release === null || this.active !== null) return this.active !== null;
    this.active = release;
    this.logger.warn({ release: release.id }, 'database away: the data release that was active last is used');
    return true;
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
  }

  private schedule(): void {
    if (this.stopped) return;
    const inMs = this.active ? this.pollMs : Math.min(this.pollMs, FIRST_POLL_MS);
    this.timer = setTimeout(() => void this.refreshNow().finally(() => this.schedule()), inMs);
    this.timer.unref();
  }

  /** Checks once which release is active. Concurrent calls share one check. */
  refreshNow(): Promise<void> {
    return (this.polling ??= this.poll().finally(() => (this.polling = undefined)));
  }

  private async poll(): Promise<void> {
    this.forgetUnused();
    try {
      const id = await this.repository.activeId();
      if (id !== null && id !== this.active?.id) await this.swap(id);
      this.complaint = '';
    } catch (error) {
      const what = error instanceof Error ? error.message : String(error);
      const complaint = isTransientDatabaseError(error) ? AWAY : what; // errors of an unreachable database have many messages
      if (complaint !== this.complaint) this.logger.error({ err: error }, `data release not loaded: ${what}`);
      this.complaint = complaint; // logged once, not at every poll
    }
  }

  private async swap(id: string): Promise<void> {
    const startedAt = performance.now();
    const old = this.active;
    const next = this.others.get(id)?.release ?? (await this.loaded(id));
    this.others.delete(id);
    this.active = next;
    if (old) this.setAside(old);
    const { label, bytes, lastDataYear } = next;
    const loadMs = Math.round(performance.now() - startedAt);
    this.logger.info(
      { release: id, label, bytes, lastDataYear, loadMs, before: old?.id ?? null },
      'data release active',
    );
    await this.cache.recordActiveAndPrune(next);
  }

  /** Callers that request the same release share one load. */
  private loaded(id: string): Promise<Release> {
    const running = this.loading.get(id);
    if (running) return running;
    const load = this.cache.load(id).finally(() => this.loading.delete(id));
    this.loading.set(id, load);
    return load;
  }

  /** The map's order is that of last use. */
  private setAside(release: Release): void {
    this.others.delete(release.id);
    this.others.set(release.id, { release, usedAt: performance.now() });
    for (const id of [...this.others.keys()].slice(0, -OTHERS_IN_MEMORY)) this.others.delete(id);
  }

  private forgetUnused(): void {
    for (const [id, { usedAt }] of this.others) if (performance.now() - usedAt > this.keepMs) this.others.delete(id);
  }
}
