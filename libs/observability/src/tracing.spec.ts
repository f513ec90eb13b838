import { context, propagation } from '@opentelemetry/api';
import { startRequestSpan, withinRequest, endTracing, startTracing } from './tracing';

const TRACE = '0af7651916cd43dd8448eb211c80319c';

describe('a traced request', () => {
  beforeAll(() => startTracing({ otlpEndpoint: 'http://127.0.0.1:9' }, 'test')); // a closed port
  afterAll(endTracing);

  it("forwards the id of the client's trace, and no text of the client", () => {
    const carried: Record<string, string> = {};
    // Not recorded, so that nothing is sent.
    const traceparent = `00-${TRACE}-b7ad6b7169203331-00`;
    const span = startRequestSpan('GET', { traceparent, tracestate: 'a=Zebulonsky', baggage: 'name=Zebulonsky' });
    withinRequest(span, () => propagation.inject(context.active(), carried));
    expect(carried).toEqual({ traceparent: expect.stringMatching(new RegExp(`^00-${TRACE}-`)) as string });
  });
});
