import { Gauge } from 'prom-client';
import { startMetricsServer } from './metrics-server';
import { processRegistry } from './process-metrics';

describe('the metrics of a process', () => {
  it('that cannot be read are a response of 500 and do not end the process', async () => {
    const name = 'unreadable';
    const collect = () => Promise.reject(new Error('it cannot be read'));
    new Gauge({ name, help: 'Of this test.', registers: [processRegistry()], collect });
    const server = await startMetricsServer({ port: 0, host: '127.0.0.1', isReady: () => true });
    const status = async (path: string) => (await fetch(`http://127.0.0.1:${server?.port}${path}`)).status;
    expect([await status('/metrics'), await status('/health/ready')]).toEqual([500, 200]);
    processRegistry().removeSingleMetric(name);
    expect(await status('/metrics')).toBe(200);
    await server?.close();
  });
});
