import { type IncomingHttpHeaders } from 'node:http';
import { type Span, SpanKind, SpanStatusCode, context, propagation, trace } from '@opentelemetry/api';
import { type LogContext, withLogContext } from '../log-context';

const NAME = 'donorlens';

/** Spans of requests begin once tracing has started; before, and without, nothing of it is called. */
let isOn = false;
export const switchOnSpans = (): void => void (isOn = true);

/** A request from its first byte to the last of its answer. Undefined: nobody traces. */
export type RequestSpan = Span | undefined;

/**
 * Part of the client's trace where it names one, and left out where the client does not trace. Its `traceparent` is read
 * alone: `tracestate` and `baggage` are texts of anybody's, and would travel on into the queue with each job. What the
 * client asks for, which may hold a name or a key, is no part of it.
 */
export function startRequestSpan(method: string, { traceparent }: IncomingHttpHeaders): RequestSpan {
  if (!isOn) return undefined;
  const parent = propagation.extract(context.active(), { traceparent });
  return trace.getTracer(NAME).startSpan(method, { kind: SpanKind.SERVER }, parent);
}

/** Everything that `work` starts belongs to the span. */
export function withinRequest(span: RequestSpan, work: () => void): void {
  if (span) context.with(trace.setSpan(context.active(), span), work);
  else work();
}

/** @param route  the template; null: there is no such route */
export function endRequestSpan(span: RequestSpan, method: string, route: string | null, status: number): void {
  if (!span) return;
  span.updateName(`${method} ${route ?? 'none'}`);
  span.setAttributes({ 'http.request.method': method, 'http.response.status_code': status });
  if (route !== null) span.setAttribute('http.route', route);
  if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}

/** A job, whose span the queue has begun: its ids are written to it and to each line that is logged within. */
export function withJobContext<T>(ids: LogContext, work: () => T): T {
  const { batchId, chunk, callId } = ids;
  if (isOn)
    trace.getActiveSpan()?.setAttributes({
      ...(batchId !== undefined && { 'donorlens.batch_id': batchId }),
      ...(chunk !== undefined && { 'donorlens.chunk': chunk }),
      ...(callId !== undefined && { 'donorlens.call_id': callId }),
    });
  return withLogContext(ids, work);
}
