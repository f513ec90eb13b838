import { get } from 'node:http';
import { readConfig, type Config } from '@donorlens/config';
import { type Command } from 'commander';
import { choice } from '../arguments';
import { EXIT, type ExitCode, usageError } from '../exit-code';
import { Home, readRunInfo } from '../home/home';
import { type Context, examples } from '../program-context';
import { searchPath } from '../start/layers';

interface DoctorOptions {
  readonly json?: boolean;
  readonly role?: DoctorRole;
}

export function addDoctorCommand(program: Command, context: Context): void {
  program
    .command('doctor')
    .description('check the dependencies of donorlens on this machine')
    .addOption(
      choice('--role <role>', 'check only the readiness of the process of this role on this machine', DOCTOR_ROLES),
    )
    .option('--json', 'as JSON')
    .addHelpText(
      'after',
      `${examples('bin/donorlens doctor', 'METRICS_PORT=9400 bin/donorlens doctor --role worker')}\n\nExit codes: 0 no check fails, 2 wrong environment, 3 a check fails, or the role is not ready.`,
    )
    .action(context.run((options: DoctorOptions) => doctor(context, options)));
}

async function doctor(context: Context, { json, role }: DoctorOptions): Promise<ExitCode> {
  const config = readConfig();
  if (role) return askRole(context, role, config, json);
  const home = new Home(config.home);
  const { examine } = await import('./checks.js');
  const findings = await examine({ config, home, run: readRunInfo(home), path: searchPath() });
  const lines = findings.map(({ check, state, text }) => `${state.padEnd(4)}  ${check.padEnd(9)} ${text}`);
  context.out(json ? JSON.stringify(findings, null, 2) : lines.join('\n'));
  return findings.some(({ state }) => state === 'fail') ? EXIT.dependency : EXIT.ok;
}

const DOCTOR_ROLES = ['api', 'worker', 'aggregator'] as const;
type DoctorRole = (typeof DOCTOR_ROLES)[number];

/** Timeout, shorter than that of the container's health check. */
const TOTAL_MS = 1_500;
const EVERYWHERE = new Set(['0.0.0.0', '::', '']);

/** Reports whether the process of this container is ready, according to its health endpoint. */
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

/** Null if the process is ready. */
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
