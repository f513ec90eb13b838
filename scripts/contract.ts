/**
 * The public contract of a built checkout as sorted text, for comparison with another checkout by diff:
 *
 *     npm run --silent contract > new.txt
 *     npm run --silent contract -- ../old-checkout > old.txt
 *
 * The script starts roles on local servers, runs commands, and records what they show. It leaves out descriptions and
 * titles; `--texts` adds them.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { builtApp, Installation, KEY, ROOT, type Role, until } from '../test/support/installation';

const HEADERS = { authorization: `Bearer ${KEY}` };
const ROWS =
  'row_id,first_name,last_name,date,street,city,state,zip\n1,Mary,Garcia,2016-03-01,1 Main St,Salem,OR,97301\n';
const BATCH_TYPES: Readonly<Record<string, string>> = {
  contributions: ROWS,
  age_gender: 'name,date\nMary,2016-03-01\n',
  ethnicity: 'surname,year\nGarcia,2016\n',
};
const CSV_ROUTES = /^\/data-charts\/v1\/.*(search|candidate|committee)$/;
const DATA_MS = 300_000;
const TEXTS = /\/(description|summary|title) = /;

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** Key of a member of a JSON object or array: the name of a parameter, `*` for each string of a list. */
const keyOf = (key: string, value: Json, isList: boolean): string => {
  if (isList && typeof value === 'string') return '*';
  const name = typeof value === 'object' && value !== null && 'in' in value && 'name' in value ? value.name : null;
  return typeof name === 'string' ? name : key;
};

/** Leaves of a JSON document, one line each, independent of the order of keys, parameters and lists of strings. */
function leavesOf(value: Json, path: string): string[] {
  if (value === null || typeof value !== 'object') return [`${path} = ${JSON.stringify(value)}`];
  const entries = Object.entries(value).map(
    ([key, inner]) => [keyOf(key, inner, Array.isArray(value)), inner] as const,
  );
  return entries.length === 0
    ? [`${path} = ${JSON.stringify(value)}`]
    : entries.flatMap(([key, inner]) => leavesOf(inner, `${path}/${key}`));
}

async function textOf(url: string, init: RequestInit = {}): Promise<string> {
  const answer = await fetch(url, { ...init, headers: { ...HEADERS, ...init.headers } });
  if (!answer.ok) throw new Error(`${answer.status} at ${url}: ${await answer.text()}`);
  return answer.text();
}

const firstLine = (csv: string): string => csv.slice(0, csv.indexOf('\n'));

async function csvHeaders(api: string, document: { readonly paths: object }): Promise<string[]> {
  const charts = Object.keys(document.paths).filter((path) => CSV_ROUTES.test(path));
  const files = charts.map((path) => `${path}?cycle=2024${path.includes('breakdown') ? '&by=age' : ''}`);
  const lines: string[] = [];
  for (const path of ['/enrich/v1/age_gender/name/Mary/date/2016-03-01', ...files])
    lines.push(`csv ${path}: ${firstLine(await textOf(api + path, { headers: { accept: 'text/csv' } }))}`);
  for (const [type, body] of Object.entries(BATCH_TYPES)) {
    const init = { method: 'POST', headers: { 'content-type': 'text/csv' }, body };
    const { id } = JSON.parse(await textOf(`${api}/enrich/v1/batches?type=${type}`, init)) as { id: string };
    const batch = `${api}/enrich/v1/batches/${id}`;
    await until(`batch of ${type}`, async () => (await textOf(batch)).includes('"state":"completed"'), DATA_MS);
    lines.push(`csv results of ${type}: ${firstLine(await textOf(`${batch}/results?format=csv`))}`);
  }
  return lines;
}

/** `metric NAME TYPE {label,label}`; labels are those of its samples. */
function metricsIn(text: string, role: string): string[] {
  return [...text.matchAll(/^# TYPE (\S+) (\S+)\n((?!#)[^\n]*\n?)?/gm)].map(([, name, type]) => {
    const samples = text.matchAll(new RegExp(`^${name}(?:_bucket|_sum|_count)?\\{([^}]*)\\}`, 'gm'));
    const labels = [...samples].flatMap(([, list]) => [...list.matchAll(/(\w+)="/g)].map(([, label]) => label));
    return `metric of ${role}: ${name} ${type} {${[...new Set(labels)].sort().join(',')}}`;
  });
}

/** Runs a helper script in the checkout. The script intercepts a module while the checkout's dist loads it. */
const observed = (checkout: string, code: string, ...args: string[]): string =>
  execFileSync(process.execPath, ['-e', code, ...args], {
    cwd: checkout,
    encoding: 'utf8',
    env: { PATH: process.env.PATH },
  });

/** Lists the environment variables of every object schema in the config library, with their defaults. */
const VARIABLES = `
const Module = require('module'), load = Module.prototype.require, schemas = [];
Module.prototype.require = function (name) {
  const found = load.call(this, name);
  if (name !== 'zod') return found;
  const z = { ...found.z, object: (shape, ...rest) => (schemas.push(shape), found.z.object(shape, ...rest)) };
  return { ...found, z, default: z };
};
require('./dist/libs/config/src/index.js');
for (const shape of schemas)
  for (const [name, schema] of Object.entries(shape))
    if (/^[A-Z][A-Z_]+$/.test(name)) console.log('variable ' + name + ' = ' + JSON.stringify(schema.safeParse(undefined).data ?? null));
`;

/** Lists the command tree at the point where commander starts to parse. */
const COMMANDS = `
process.argv[1] = 'donorlens';
const { Command } = require(require.resolve('commander', { paths: ['./dist/apps/cli/src'] }));
const write = (command, path) => {
  const args = command.registeredArguments.map((one) => (one.required ? '<' + one.name() + '>' : '[' + one.name() + ']'));
  console.log(['command', ...path, ...args].join(' '));
  for (const option of command.options)
    console.log(['option', ...path, option.flags, '= ' + JSON.stringify(option.defaultValue ?? null), option.argChoices ? option.argChoices.join('|') : ''].join(' ').trimEnd());
  for (const inner of command.commands) write(inner, [...path, inner.name()]);
};
Command.prototype.parseAsync = async function () { write(this, [this.name()]); process.exit(0); };
require('./dist/apps/cli/src/main.js');
`;

function exitCodes(checkout: string, environment: Readonly<Record<string, string>>): string[] {
  const exit = (what: string, app: Role | 'cli', args: readonly string[], env: Record<string, string> = {}): string => {
    const options = { env: { PATH: process.env.PATH, ...environment, ...env }, timeout: 90_000 }; // roles wait 60 s
    return `exit code of ${what}: ${spawnSync(process.execPath, [builtApp(app, checkout), ...args], options).status}`;
  };
  const away = { DATABASE_URL: 'postgres://unknown@127.0.0.1:9/none', DONORLENS_URL: 'http://127.0.0.1:9' };
  const help = execFileSync(process.execPath, [builtApp('cli', checkout), '--help'], { encoding: 'utf8' });
  return [
    ...[...help.slice(help.indexOf('Exit codes:')).matchAll(/^ {2}(\d+) /gm)].map(
      ([, code]) => `exit code in --help: ${code}`,
    ),
    exit('--version', 'cli', ['--version']),
    exit('an unknown command', 'cli', ['unknown']),
    exit('an unknown option', 'cli', ['status', '--unknown']),
    exit('status without a service', 'cli', ['status'], away),
    exit('batch list without a service', 'cli', ['batch', 'list'], away),
    exit('batch status of an unknown batch', 'cli', ['batch', 'status', '00000000-0000-0000-0000-000000000000'], away),
    ...(['api', 'worker', 'aggregator'] as const).flatMap((role) => [
      exit(`${role} with a wrong variable`, role, [], { CHUNK_ROWS: 'many' }),
      exit(`${role} without a database`, role, [], { ...away, PORT: '0' }),
    ]),
  ];
}

async function contractOf(checkout: string): Promise<string[]> {
  const installation = await Installation.start({
    queue: 'postgres',
    checkout,
    tuning: 'test',
    environment: { LOG_LEVEL: 'warn', GEOCODE_PATIENCE_SECONDS: '0' },
  });
  try {
    const [api] = installation.apiUrls;
    const document = JSON.parse(await textOf(`${api}/openapi.json`)) as { readonly [key: string]: Json } & {
      paths: object;
    };
    const ages = `${api}/data-charts/v1/age_distribution/committee?cycle=2024`;
    const hasCharts = async (): Promise<boolean> => (await textOf(ages).catch(() => '')).split('\n').length > 2;
    await until('charts of the sample', hasCharts, DATA_MS);
    const headers = await csvHeaders(api, document);
    const others = installation.processes.filter(({ name }) => !name.startsWith('api'));
    const metrics = await Promise.all(installation.metricsUrls.map((url) => textOf(`${url}/metrics`)));
    return [
      ...leavesOf(document, 'openapi'),
      ...headers,
      ...metricsIn(await textOf(`${api}/metrics`), 'api-1'),
      ...metrics.flatMap((text, at) => metricsIn(text, others[at].name)),
      ...observed(checkout, VARIABLES).trim().split('\n'),
      ...observed(checkout, COMMANDS).trim().split('\n'),
      ...exitCodes(checkout, installation.environment),
    ];
  } finally {
    await installation.stop();
  }
}

const texts = process.argv.includes('--texts');
const checkout = process.argv.slice(2).find((argument) => !argument.startsWith('--'));
contractOf(resolve(checkout ?? ROOT)).then(
  (lines) => {
    const shown = lines.filter((line) => texts || !TEXTS.test(line));
    process.stdout.write(`${[...new Set(shown)].sort().join('\n')}\n`);
  },
  (error: Error) => {
    process.stderr.write(`${error.stack}\n`);
    process.exitCode = 1;
  },
);
