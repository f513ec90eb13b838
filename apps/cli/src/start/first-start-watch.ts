import { CliError, EXIT } from '../exit-code';
import { reasonIn } from './log-line';
import { type RunEnd, howItEnded } from './keep-running';

/** Early ends of one role that a first start forgives: a slow machine, a server that was still coming up. */
const FORGIVEN = 3;

/** Watches the roles until the service was ready once: what cannot work at all must end the start, not repeat for ever. */
export class FirstStartWatch {
  private readonly reasons = new Map<string, string>();
  private readonly ends = new Map<string, number>();
  private over = false;
  private readonly failed = new AbortController();

  /** Aborted, with the error as reason, when this start cannot succeed. */
  get signal(): AbortSignal {
    return this.failed.signal;
  }

  line(role: string, line: string): void {
    const reason = reasonIn(line);
    if (reason !== null) this.reasons.set(role, reason);
  }

  /** @returns whether the role may start again */
  ended(role: string, end: RunEnd): boolean {
    if (this.over) return true;
    const count = (this.ends.get(role) ?? 0) + 1;
    this.ends.set(role, count);
    const hopeless = end.code === EXIT.usage || end.code === EXIT.dependency;
    if (!hopeless && count <= FORGIVEN) return true;
    const reason = this.reasons.get(role) ?? `it ended with ${howItEnded(end)}`;
    this.failed.abort(new CliError(`${role} cannot start: ${reason}`, hopelessCode(end)));
    return false;
  }

  /** From now on every end is followed by a restart. */
  succeeded(): void {
    this.over = true;
  }
}

const hopelessCode = ({ code }: RunEnd) => (code === EXIT.usage || code === EXIT.dependency ? code : EXIT.failed);
