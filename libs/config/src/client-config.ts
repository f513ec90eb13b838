import { z } from 'zod';
import { ConfigError, serverUrl } from './config';

/** Variables of the commands that talk to a running service. */
const clientEnvironment = z.object({
  /** Base URL of the service; unset: the one that runs on DONORLENS_HOME. */
  DONORLENS_URL: serverUrl('http:', 'https:').optional(),
  /** Access key of these commands; unset: BOOTSTRAP_KEY, else the key of the first start. */
  DONORLENS_KEY: z.string().optional(),
  BOOTSTRAP_KEY: z.string().optional(),
  DONORLENS_HOME: z.string().default('.donorlens'),
  DATABASE_URL: serverUrl('postgres:', 'postgresql:').optional(),
  /** Any value switches colors off (no-color.org). */
  NO_COLOR: z.string().optional(),
});

export interface ClientConfig {
  readonly url: string | undefined;
  readonly key: string | undefined;
  readonly bootstrapKey: string | undefined;
  readonly home: string;
  readonly databaseUrl: string | undefined;
  readonly color: boolean;
}

/** Reads only the variables that commands other than `start` need. @throws ConfigError */
export function readClientConfig(env: NodeJS.ProcessEnv = process.env): ClientConfig {
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''));
  const parsed = clientEnvironment.safeParse(set);
  if (!parsed.success)
    throw new ConfigError(parsed.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`));
  const e = parsed.data;
  return Object.freeze({
    url: e.DONORLENS_URL?.replace(/\/+$/, ''),
    key: e.DONORLENS_KEY,
    bootstrapKey: e.BOOTSTRAP_KEY,
    home: e.DONORLENS_HOME,
    databaseUrl: e.DATABASE_URL,
    color: e.NO_COLOR === undefined,
  });
}
