import { join, resolve } from 'node:path';
import { type Config } from '@donorlens/config';
import { type ChosenQueue } from './queue';

/** The processes of one start, each with the most memory V8 may take: a leak ends in a restart, not in swapping. */
export const ROLES = [
  // A large question's answers are short-lived objects: with V8's own 16 MB more of them are copied.
  { name: 'api', limits: ['--max-old-space-size=320', '--max-semi-space-size=32'] },
  { name: 'worker', limits: ['--max-old-space-size=320'] },
  { name: 'aggregator', limits: ['--max-old-space-size=1024'] }, // compiles the full reference data
] as const;
export type Role = (typeof ROLES)[number];

/** Built entry of a role; this file is dist/apps/cli/src/start/roles.js then. */
export const roleScript = (name: Role['name']): string => join(__dirname, '..', '..', '..', name, 'src', 'main.js');

export const nodeOptions = ({ limits }: Role): string[] => ['--enable-source-maps', ...limits];

interface Chosen {
  readonly database: { readonly url: string };
  readonly queue: ChosenQueue;
  readonly home: string;
  readonly port: number;
  readonly addressSecret: string;
}

/** What the roles see: the operator's environment, with what this start has chosen in place of what was left open. */
export function roleEnvironment(env: NodeJS.ProcessEnv, config: Config, chosen: Chosen): NodeJS.ProcessEnv {
  const source = config.dataSource;
  return {
    ...env,
    PORT: String(chosen.port),
    HOST: config.host,
    DONORLENS_HOME: chosen.home,
    ADDRESS_SECRET: chosen.addressSecret,
    DATABASE_URL: chosen.database.url,
    QUEUE_BACKEND: chosen.queue.backend,
    METRICS_PORT: undefined, // one port for two roles; the api's /metrics has what is the service's
    REDIS_URL: chosen.queue.redisUrl ?? undefined, // spawn leaves out what is undefined
    ...(source ? { DATA_SOURCE: /^https?:/i.test(source) ? source : resolve(source) } : {}),
  };
}
