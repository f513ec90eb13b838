import { type IncomingHttpHeaders } from 'node:http';
import { type Span, SpanKind, SpanStatusCode, context, propagation, trace } from '@opentelemetry/api';
import { type LogContext, withLogContext } from '../log-context';

const NAME = 'donorlens';

/** Spans of requests begin once tracing has started; before, and without, nothing of it is called. */
let isOn = false;
export const switchOnSpans = (): void => void (isOn = true);

/** A request from its first byte to the last of its answer. Undefined: nobody traces. */
export type RequestSpan = Span | undefined;

/** Part of the client's trace where it names one. What the client asks for, which may hold a name or a key, is no part of it. */
export function startRequestSpan(method: string, headers: IncomingHttpHeaders): RequestSpan {
  if (!isOn) return undefined;
  const parent = propagation.extract(context.active(), headers);
  return trace.getTracer(NAME).startSpan(method, { kind: SpanKind.SERVER }, parent);
}

/** Everything that `work` starts belongs to the request. */
export function withinRequest(span: RequestSpan, requestId: string, work: () => void): void {
  const logged = (): void => withLogContext({ requestId }, work);
  if (span) context.with(trace.setSpan(context.active(), span), logged);
  else logged();
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
