import { type Config } from '@donorlens/config';
import { VERSION } from '../version';

/** Traces of this process, where a collector is configured. */
export interface Tracing {
  /** Sends what is not sent yet, and ends. */
  close(): Promise<void>;
}

/**
 * Sends the spans of this process to config.otlpEndpoint.
 * @returns null where that is not set: nothing is loaded then, and every span is a call of an empty function
 */
export async function startTracing(config: Pick<Config, 'otlpEndpoint'>, role: string): Promise<Tracing | null> {
  if (config.otlpEndpoint === undefined) return null;
  const [{ OTLPTraceExporter }, { resourceFromAttributes }, { BatchSpanProcessor, NodeTracerProvider }] =
    await Promise.all([
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('@opentelemetry/resources'),
      import('@opentelemetry/sdk-trace-node'),
    ]);
  const provider = new NodeTracerProvider({
    resource: resourceFromAttributes({ 'service.name': `donorlens-${role}`, 'service.version': VERSION }),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter({ url: `${config.otlpEndpoint}/v1/traces` }))],
  });
  provider.register();
  return { close: () => provider.shutdown() };
}
