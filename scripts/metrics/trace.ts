import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { WebSocket } from 'undici';
import { Installation, KEY, until } from '../../test/support/installation';

/** Longer than the interval of every periodic task, so that each task runs at least once. */
const IDLE_MS = 20_000;
const READY_MS = 300_000;
const HEADERS = { authorization: `Bearer ${KEY}` };

interface Answer {
  readonly id: number;
  readonly result: { readonly result?: readonly Script[] };
}
interface Script {
  readonly url: string;
  readonly functions: readonly {
    readonly ranges: readonly { readonly startOffset: number; readonly endOffset: number; readonly count: number }[];
  }[];
}

/** The getter or function that swc generates for an export. */
const EXPORT = /^(?:get \w+ |function)\(\) \{\s*return (?!this\b)[\w.]+;\s*\}$/;

/** One role process, observed through its inspector. */
class InspectedProcess {
  private ids = 0;
  private readonly answers = new Map<number, (answer: Answer) => void>();

  private constructor(private readonly socket: WebSocket) {
    socket.onmessage = ({ data }) => {
      const answer = JSON.parse(data as string) as Answer;
      this.answers.get(answer.id)?.(answer);
    };
  }

  static async connect(logFile: string): Promise<InspectedProcess> {
    const find = (): string | undefined => /Debugger listening on (ws:\S+)/.exec(readFileSync(logFile, 'utf8'))?.[1];
    const socket = new WebSocket(await until('the inspector listens', find, READY_MS));
    await new Promise((open, fail) => Object.assign(socket, { onopen: open, onerror: fail }));
    const process = new InspectedProcess(socket);
    await process.call('Profiler.enable');
    await process.call('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    return process;
  }

  /**
   * Product files in which a function has run since the last call. Files that were only loaded do not count, nor files
   * of which only an export was read: the compiler turns each export into a getter.
   */
  async executedFiles(): Promise<string[]> {
    const { result } = await this.call('Profiler.takePreciseCoverage');
    return (result.result ?? []).flatMap(({ url, functions }) => {
      const path = /\/dist\/((?:apps|libs)\/.+)\.js$/.exec(url)?.[1];
      if (path === undefined) return [];
      const source = readFileSync(fileURLToPath(url), 'utf8');
      const hasRun = functions.some(
        ({ ranges: [{ count, startOffset, endOffset }] }) =>
          count > 0 && startOffset > 0 && !EXPORT.test(source.slice(startOffset, endOffset)),
      );
      return hasRun ? [path] : [];
    });
  }

  close(): void {
    this.socket.close();
  }

  private call(method: string, params: object = {}): Promise<Answer> {
    const id = ++this.ids;
    this.socket.send(JSON.stringify({ id, method, params }));
    return new Promise((done) => this.answers.set(id, done));
  }
}

async function answer(url: string, init: RequestInit = {}): Promise<string> {
  const response = await fetch(url, { ...init, headers: { ...HEADERS, ...init.headers } });
  if (!response.ok) throw new Error(`${response.status} at ${url}`);
  return response.text();
}

/** Runs a batch until the last row is stored. The state is read from the database, so no further request counts. */
async function runBatch(api: string, database: string): Promise<void> {
  const body = 'row_id,first_name,last_name,date\n1,Mary,Garcia,2016-03-01\n2,John,Smith,2016-03-02\n';
  const init = { method: 'POST', headers: { 'content-type': 'text/csv' }, body };
  const { id } = JSON.parse(await answer(`${api}/enrich/v1/batches?type=contributions`, init)) as { id: string };
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  const isDone = async (): Promise<boolean> =>
    (await client.query(`select from batch where id = $1 and state = 'completed'`, [id])).rowCount === 1;
  await until('the batch is completed', isDone, READY_MS);
  await client.end();
}

/** Prints how many product files each of three requests passes through, from precise coverage of the built roles. */
export async function printTraces(checkout: string, lists: boolean): Promise<void> {
  const installation = await Installation.start({
    queue: 'postgres',
    checkout,
    nodeOptions: ['--inspect=127.0.0.1:0'],
    tuning: 'test',
  });
  try {
    const [api] = installation.apiUrls;
    const ages = `${api}/data-charts/v1/age_distribution/committee?cycle=2024`;
    await until('charts of the sample', () => answer(ages).catch(() => null), READY_MS);
    const inspected = await Promise.all(installation.processes.map(({ logFile }) => InspectedProcess.connect(logFile)));
    const executed = async (): Promise<Set<string>> =>
      new Set(
        (await Promise.all(inspected.map((one) => one.executedFiles())))
          .flat()
          .filter((path) => !path.endsWith('/index')),
      );
    await pause(IDLE_MS);
    const idle = await executed();
    const queries = JSON.stringify({ queries: [{ name: 'Mary', date: '2016-03-01' }] });
    const json = { method: 'POST', headers: { 'content-type': 'application/json' }, body: queries };
    const requests: Readonly<Record<string, () => Promise<unknown>>> = {
      'POST /enrich/v1/age_gender': () => answer(`${api}/enrich/v1/age_gender`, json),
      'a batch of two rows, from upload to stored result': () => runBatch(api, installation.postgres.url),
      'GET /data-charts/v1/cumulative_donors/candidate as CSV': () =>
        answer(`${api}/data-charts/v1/cumulative_donors/candidate?cycle=2024`, { headers: { accept: 'text/csv' } }),
    };
    for (const [name, send] of Object.entries(requests)) {
      await executed();
      await send();
      const files = [...(await executed())].filter((path) => !idle.has(path)).sort();
      console.log(`product files of ${name}: ${files.length}`);
      if (lists) for (const path of files) console.log(`    ${path}`);
    }
    for (const one of inspected) one.close();
  } finally {
    await installation.stop();
  }
}
