import { AsyncLocalStorage } from 'node:async_hooks';
import { writeSync } from 'node:fs';
import { type LoggerService } from '@nestjs/common';
import pino, { type DestinationStream, type Logger, type LoggerOptions } from 'pino';
import { isSpanContextValid, trace } from '@opentelemetry/api';

export type { Logger };

const SECRET_QUERY = /([?&](?:apiKey|token|key)=)[^&\s"]*/gi;
const SECRET_KEY = /\bdl_[A-Za-z0-9]{8}_[A-Za-z0-9]+(?:_[A-Za-z0-9]+)?/g;

/** Removes keys from any text that is about to be logged. */
export const redacted = (text: string): string => text.replace(SECRET_QUERY, '$1***').replace(SECRET_KEY, 'dl_***');

/** Lines of the same millisecond have the same text. */
let time = { at: NaN, text: '' };

function isoTime(): string {
  const now = Date.now();
  if (now !== time.at) time = { at: now, text: `,"time":"${new Date(now).toISOString()}"` };
  return time.text;
}

const GATHERED_BYTES = 8 * 1024;
const GATHERED_MS = 100;

/**
 * Stdout for a role that writes a line for every request: they leave together, a tenth of a second late at most. Fatal
 * ones leave at once, and the end of the process takes the rest along; a kill -9 does not.
 */
export function bufferedOutput(): DestinationStream {
  const output = pino.destination({
    dest: 1,
    sync: false,
    minLength: GATHERED_BYTES,
    periodicFlush: GATHERED_MS,
  });
  const flush = output.flushSync.bind(output);
  output.flushSync = () => {
    if (hasReader()) flush(); // else it would repeat the failed write for ever, at a fatal line or the end
  };
  return output;
}

/** False if the supervisor that read stdout has ended. */
function hasReader(): boolean {
  try {
    writeSync(1, '');
    return true;
  } catch {
    return false;
  }
}

/**
 * JSON lines to stdout. Values of fields that may hold a key, name or address are replaced at the depths that are
 * written.
 */
export function createLogger(
  role: string,
  level: string,
  output: DestinationStream = pino.destination({ dest: 1, sync: true }),
): Logger {
  const options: LoggerOptions = {
    level,
    base: { role },
    mixin: logContext,
    formatters: { level: (label) => ({ level: label }) },
    timestamp: isoTime,
    redact: {
      paths: [
        'key',
        'apiKey',
        'token',
        'authorization',
        'name',
        'surname',
        'street',
        'address',
        '*.authorization',
        '*.apiKey',
        '*.token',
      ],
      censor: '***',
    },
    hooks: {
      logMethod(args, method) {
        method.apply(
          this,
          args.map((arg) => (typeof arg === 'string' ? redacted(arg) : arg)) as Parameters<typeof method>,
        );
      },
    },
    serializers: {
      err: (err: Error) => ({ type: err.name, message: redacted(err.message ?? ''), stack: redacted(err.stack ?? '') }),
    },
  };
  return pino(options, output);
}

const FAILED_START = 'ExceptionHandler';

/** Lets Nest write through pino. */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown, context?: string): void {
    this.logger.debug({ context }, String(message));
  }
  warn(message: unknown, context?: string): void {
    this.logger.warn({ context }, String(message));
  }
  error(message: unknown, stack?: string, context?: string): void {
    // Why a start failed; the exit handler logs it in one line.
    if (context === FAILED_START) return this.debug(message, context);
    this.logger.error({ context, stack: stack === undefined ? undefined : redacted(stack) }, String(message));
  }
  debug(message: unknown, context?: string): void {
    this.logger.trace({ context }, String(message));
  }
  verbose(message: unknown, context?: string): void {
    this.logger.trace({ context }, String(message));
  }
  fatal(message: unknown, context?: string): void {
    this.logger.fatal({ context }, String(message));
  }
}

/** The job of a log line: ids only, no data. */
export interface LogContext {
  readonly job?: string;
  readonly batchId?: string;
  readonly chunk?: number;
  readonly callId?: string;
}

const contexts = new AsyncLocalStorage<LogContext>();

/**
 * Every line that `work` writes, however late, carries the context. Not for requests: in Node 20 the first call slows
 * every promise of the process, and a lookup took 1.4 times the CPU. Work on a chunk is mostly synchronous.
 */
export function withLogContext<T>(context: LogContext, work: () => T): T {
  return contexts.run(context, work);
}

/** Context of a log line: the job, and the trace if there is one. */
function logContext(): object {
  const span = trace.getActiveSpan()?.spanContext();
  return { ...contexts.getStore(), ...(span && isSpanContextValid(span) && { traceId: span.traceId }) };
}
