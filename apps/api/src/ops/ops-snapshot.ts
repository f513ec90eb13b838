import { Injectable } from '@nestjs/common';
import {
  type AuditEntry,
  StaleCache,
  type OperationsStatus,
  OperationsWatch,
  OperatorRequests,
  type DatabaseIssue,
} from '@donorlens/operations';

/** State of the service, and the database issue if the state may be outdated. */
export interface OpsSnapshot {
  /** Null if this process has not read the status since its start. */
  readonly status: OperationsStatus | null;
  /** Audit entries, newest first. */
  readonly entries: readonly AuditEntry[];
  /** Null if the status is current. */
  readonly issue: DatabaseIssue | null;
}

const MAX_ENTRIES = 30;
const CACHE_MS = 1_000;
/** Timeout of a page, because a hanging database does not refuse connections. */
const TIMEOUT_MS = 4_000;

/** Reads the data of the operations console: the state of the service and the audit log. */
@Injectable()
export class OpsSnapshots {
  private readonly entries: StaleCache<readonly AuditEntry[]>;

  constructor(
    private readonly service: OperationsWatch,
    requests: OperatorRequests,
  ) {
    this.entries = new StaleCache(() => requests.recent(MAX_ENTRIES), CACHE_MS);
  }

  /** The current state, or the last known one. Takes at most 4 s, even if the database hangs. */
  async current(): Promise<OpsSnapshot> {
    const [look, entries] = await Promise.all([this.service.read(), this.entries.get(TIMEOUT_MS)]);
    return { ...look, entries: entries.value ?? [] };
  }

  /** Discards cached data, so that a new operator request is visible immediately. */
  invalidate(): void {
    this.service.invalidate();
    this.entries.invalidate();
  }
}
