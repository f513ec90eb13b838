import { AsyncLocalStorage } from 'node:async_hooks';
import { isSpanContextValid, trace } from '@opentelemetry/api';

/** The job that a log line belongs to: ids, never what they stand for. */
export interface LogContext {
  readonly job?: string;
  readonly batchId?: string;
  readonly chunk?: number;
  readonly callId?: string;
}

const contexts = new AsyncLocalStorage<LogContext>();

/**
 * Every line that `work` writes, however late, carries the context. Not for requests: in Node 20 the first call makes every
 * promise of the process dearer, and a lookup took 1.4 times the CPU. What a chunk does is no promises but arithmetic.
 */
export function withLogContext<T>(context: LogContext, work: () => T): T {
  return contexts.run(context, work);
}

/** What a line written now belongs to. With a trace where there is one; without tracing that costs a call. */
export function logContext(): object {
  const span = trace.getActiveSpan()?.spanContext();
  return { ...contexts.getStore(), ...(span && isSpanContextValid(span) && { traceId: span.traceId }) };
}
