import { type AuditEntry, type OperationsStatus, type Trouble } from '@donorlens/operations';
import { type Visitor } from '../access/visitor';

/** What every section of the page is made of. */
export interface OpsView {
  readonly status: OperationsStatus;
  /** Newest first. */
  readonly entries: readonly AuditEntry[];
  readonly trouble: Trouble | null;
  readonly now: Date;
  readonly visitor: Visitor | null;
  /** Nothing can be asked for at the moment. */
  readonly isOff: boolean;
}
