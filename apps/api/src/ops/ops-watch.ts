import { Injectable } from '@nestjs/common';
import {
  type AuditEntry,
  Kept,
  type OperationsStatus,
  OperationsWatch,
  OpsRequests,
  type Trouble,
} from '@donorlens/operations';

/** What is known of the service, and why it may be old. */
export interface Seen {
  /** Null: nothing could be read since this process began. */
  readonly status: OperationsStatus | null;
  /** Newest first. */
  readonly entries: readonly AuditEntry[];
  /** Null: this is of now. */
  readonly trouble: Trouble | null;
}

const ENTRIES = 30;
const KEEP_MS = 1_000;
/** A person waits for the page, and a database that is frozen does not refuse. */
const ANSWER_MS = 4_000;

/** What the operators' page shows: the state of the service, and what was asked of it. */
@Injectable()
export class OpsWatch {
  private readonly entries: Kept<readonly AuditEntry[]>;

  constructor(
    private readonly service: OperationsWatch,
    requests: OpsRequests,
  ) {
    this.entries = new Kept(() => requests.recent(ENTRIES), KEEP_MS);
  }

  /** As it is now, or as it was last. Ends within 4 s whatever the database does. */
  async look(): Promise<Seen> {
    const [look, entries] = await Promise.all([this.service.look(), this.entries.within(ANSWER_MS)]);
    return { ...look, entries: entries.value ?? [] };
  }

  /** What was asked for is to be seen at once. */
  forget(): void {
    this.service.forget();
    this.entries.forget();
  }
}
