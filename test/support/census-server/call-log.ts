import { type Address, canonical } from './address';
import { type CallKind } from './call-kind';
import { type FaultName } from './faults';

/** One request, recorded from its start. */
export interface Call {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly kind: CallKind;
  readonly rows: number;
  readonly isOver: boolean;
  /** Null while there is no answer, and if the answer was never complete. */
  readonly status: number | null;
  readonly faults: readonly (FaultName | 'poison')[];
  /** Answered completely, with 200 and without a harmful fault. */
  readonly answeredOk: boolean;
}

/** Counts requests and their results. Row counts include batches and single lookups. */
export class CallLog {
  readonly calls: Call[] = [];
  /** Every spelling of an address counts once. */
  readonly distinctRows = new Set<string>();
  rowsReceived = 0;
  /** Rows of batch calls that were answered completely and without a harmful fault. */
  rowsAnsweredOk = 0;
  /** Rows of these whose address an earlier batch had answered: the work was requested twice. */
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

  /** Only the first end of a call counts. @param status - null if the call ended without its complete answer */
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

/** A call of the log that has not ended. */
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
