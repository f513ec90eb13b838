import { get } from 'node:http';
import { type Config } from '@donorlens/config';
import { EXIT, type ExitCode, usageError } from '../exit-code';
import { type Context } from '../program-context';

export const DOCTOR_ROLES = ['api', 'worker', 'aggregator'] as const;
export type DoctorRole = (typeof DOCTOR_ROLES)[number];

/** Whoever asks has a time limit of its own. */
const TOTAL_MS = 1_500;
const EVERYWHERE = new Set(['0.0.0.0', '::', '']);

/** Whether the process of this container is ready: asked of it, and of nobody else. */
export async function askRole(
  context: Context,
  role: DoctorRole,
  config: Pick<Config, 'host' | 'port' | 'metricsPort'>,
  json: boolean | undefined,
): Promise<ExitCode> {
  const url = `${baseUrl(role, config)}/health/ready`;
  const problem = await problemOf(url);
  const text = `${role} ${problem === null ? 'is ready' : `is not ready: ${problem}`}`;
  context.out(json ? JSON.stringify({ role, ready: problem === null, problem }) : text);
  return problem === null ? EXIT.ok : EXIT.dependency;
}

function baseUrl(role: DoctorRole, { host, port, metricsPort }: Pick<Config, 'host' | 'port' | 'metricsPort'>): string {
  if (role === 'api') {
    const name = EVERYWHERE.has(host) ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;
    return `http://${name}:${port}`;
  }
  if (metricsPort === undefined)
    throw usageError(`METRICS_PORT must be set, for this and for the ${role}: it serves its health there`);
  return `http://127.0.0.1:${metricsPort}`;
}

/** Null where it is ready. */
function problemOf(url: string): Promise<string | null> {
  return new Promise((resolve) => {
    const request = get(url, { timeout: TOTAL_MS, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode === 200 ? null : `${url} answers ${response.statusCode}`);
      request.destroy();
    });
    request.on('error', (error: NodeJS.ErrnoException) => resolve(`${url} does not answer (${error.code ?? 'error'})`));
    request.on('timeout', () => resolve(`${url} does not answer within ${TOTAL_MS} ms`));
    request.on('timeout', () => request.destroy());
  });
}
