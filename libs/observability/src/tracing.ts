import { type IncomingHttpHeaders } from 'node:http';
import { SpanKind, type Span, SpanStatusCode, context, propagation, trace } from '@opentelemetry/api';
import { type Sampler, type SamplingDecision } from '@opentelemetry/sdk-trace-node';
import { type Config } from '@donorlens/config';
import { VERSION } from './version';
import { type LogContext, withLogContext } from './logger';

/** A collector that is away costs the end of a process no longer. */
const SEND_MS = 3_000;

let ending: (() => Promise<void>) | undefined;

// Values of an enum that is not loaded unless traces are wanted.
const NOT_RECORD: SamplingDecision.NOT_RECORD = 0;
const RECORD_AND_SAMPLED: SamplingDecision.RECORD_AND_SAMPLED = 2;

/** The queue's library has spans for each look into an empty queue as well: those begin no trace. */
const WORK_ONLY: Sampler = {
  shouldSample: (_context, _traceId, _name, kind) => ({
    decision: kind === SpanKind.INTERNAL ? NOT_RECORD : RECORD_AND_SAMPLED,
  }),
  toString: () => 'work only',
};

/** Sends the spans of this process to config.otlpEndpoint. Without it, nothing is loaded and no span is created. */
export async function startTracing(config: Pick<Config, 'otlpEndpoint'>, role: string): Promise<void> {
  if (config.otlpEndpoint === undefined) return;
  const [{ OTLPTraceExporter }, { resourceFromAttributes }, sdk] = await Promise.all([
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/sdk-trace-node'),
  ]);
  const { BatchSpanProcessor, NodeTracerProvider, ParentBasedSampler } = sdk;
  const exporter = new OTLPTraceExporter({ url: `${config.otlpEndpoint}/v1/traces`, timeoutMillis: SEND_MS });
  const provider = new NodeTracerProvider({
    resource: resourceFromAttributes({ 'service.name': `donorlens-${role}`, 'service.version': VERSION }),
    sampler: new ParentBasedSampler({ root: WORK_ONLY }),
    spanProcessors: [new BatchSpanProcessor(exporter)],
  });
  provider.register();
  switchOnSpans();
  ending = () => provider.shutdown();
}

/** Sends what is not sent yet. Never throws: traces are the last thing that a process would fail for. */
export async function endTracing(): Promise<void> {
  const end = ending;
  ending = undefined;
  await end?.().catch(() => undefined);
}

const NAME = 'donorlens';

/** Spans of requests begin once tracing has started; before, and without, nothing of it is called. */
let isOn = false;
const switchOnSpans = (): void => void (isOn = true);

/** A request from its first byte to the last of its response. Undefined: tracing is off. */
export type RequestSpan = Span | undefined;

/**
 * Starts a span, in the trace of the client if it sent one; it is not recorded if that trace is not sampled. Only
 * `traceparent` is read: `tracestate` and `baggage` are arbitrary texts of the client and would be copied into each
 * job. The span has no part of the URL, which may contain a name or key.
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

/** @param route - the template; null if there is no such route */
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
