import { type LogContext, type Logger } from '@donorlens/observability';

const QUIET_MS = 30_000;
/** Codes of a server that stops, is away and starts again: they differ from one moment to the next. */
const AWAY_CODE = /^(ECONN|EPIPE$|ETIMEDOUT$|57P0)/;
const AWAY_MESSAGE = /connection terminated/i;

/**
 * Writes one log entry per error code and 30 s, with the number of suppressed ones: a full Redis raises thousands of
 * errors a second. All codes of a server that is away count as one.
 */
export class ErrorLog {
  private readonly seen = new Map<string, { until: number; leftOut: number }>();

  constructor(
    private readonly logger: Logger,
    private readonly what: string,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** @param ids - ids of the failed job; those of suppressed errors are not logged */
  readonly report = (error: unknown, ids: LogContext = {}): void => {
    const code = codeOf(error);
    const message = error instanceof Error ? error.message : String(error);
    const kind = AWAY_CODE.test(code) || AWAY_MESSAGE.test(message) ? 'away' : code;
    const known = this.seen.get(kind);
    if (known && this.now() < known.until) {
      known.leftOut++;
      return;
    }
    this.seen.set(kind, { until: this.now() + QUIET_MS, leftOut: 0 });
    this.logger.warn({ ...ids, code, leftOut: known?.leftOut ?? 0 }, `${this.what}: ${message || code}`);
  };
}

/** `ECONNREFUSED`, `57P01`, `OOM`, or the error's class. Few different values, so the map stays small. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  if ('code' in error && typeof error.code === 'string') return error.code;
  const reply = /^([A-Z]{3,})\b/.exec(error.message); // Redis replies begin with a word such as OOM or MISCONF
  return reply?.[1] ?? error.name;
}
