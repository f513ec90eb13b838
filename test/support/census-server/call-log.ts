import { type Address, canonical } from './address';
import { type CallKind } from './call-kind';
import { type FaultName } from './faults';

/** One request, also while it is in flight. */
export interface Call {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly kind: CallKind;
  readonly rows: number;
  readonly isOver: boolean;
  /** Null while there is no answer, and for good where it never came whole. */
  readonly status: number | null;
  readonly faults: readonly (FaultName | 'poison')[];
  /** Answered to the last byte, with 200 and without a fault that hurts. */
  readonly answeredOk: boolean;
}

/** What was asked and what became of it. Rows are those of batches and single lookups together. */
export class CallLog {
  readonly calls: Call[] = [];
  /** Every spelling of an address counts once. */
  readonly distinctRows = new Set<string>();
  rowsReceived = 0;
  /** Rows of batch calls that were answered wholly and without a fault. */
  rowsAnsweredOk = 0;
  /** Of these, rows whose address had been answered by a batch before: work that was asked for twice. */
  rowsAnsweredTwice = 0;
  inFlight = 0;
  maxInFlight = 0;
  private readonly answered = new Set<string>();

  begin(kind: CallKind): RunningCall {
    this.inFlight++;
    this.maxInFlight = Math.max(this.maxInFlight, this.inFlight);
    const call = new RunningCall(kind);
    this.calls.push(call);
    return call;
  }

  asked(call: RunningCall, addresses: readonly Address[]): void {
    call.addresses = addresses.map(canonical);
    this.rowsReceived += addresses.length;
    for (const address of call.addresses) this.distinctRows.add(address);
  }

  /** The first time is the one that counts. @param status null where the call ended without its whole answer */
  end(call: RunningCall, status: number | null): void {
    if (call.isOver) return;
    call.isOver = true;
    this.inFlight--;
    call.status = status;
    call.answeredOk = status === 200 && !call.isHurt;
    if (!call.answeredOk || call.kind !== 'batch') return;
    for (const address of call.addresses) {
      if (this.answered.has(address)) this.rowsAnsweredTwice++;
      this.answered.add(address);
    }
    this.rowsAnsweredOk += call.rows;
  }
}

/** A call of the log that is not over yet. */
export class RunningCall implements Call {
  readonly at = Date.now();
  status: number | null = null;
  answeredOk = false;
  isHurt = false;
  isOver = false;
  addresses: readonly string[] = [];
  readonly faults: (FaultName | 'poison')[] = [];

  constructor(readonly kind: CallKind) {}

  get rows(): number {
    return this.addresses.length;
  }
}
