import { SpanKind } from '@opentelemetry/api';
import type { Sampler, SamplingDecision } from '@opentelemetry/sdk-trace-node';
import { type Config } from '@donorlens/config';
import { VERSION } from '../version';
import { switchOnSpans } from './spans';

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

/** Sends the spans of this process to config.otlpEndpoint. Nothing is loaded, and no span is made, where that is not set. */
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
