import { ChartVersionWatch } from '@donorlens/charts';
import { PG_POOL } from '@donorlens/database';
import { writeSampleFiles } from '@donorlens/fec-sample';
import { parse } from 'csv-parse/sync';
import { DuckDBInstance } from '@duckdb/node-api';
import { type Pool } from 'pg';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { candidateLines } from '../libs/fec-sample/src/sample-committees';
import { ANA, storeCampaign } from './support/fec-data/campaign';
import { type RunningApi, runningApi } from './support/service/running-api';
import { itWith } from './support/tools';
import { until } from './support/until';
import { workUntil } from './support/pipeline/work-until';

const SNIPPETS = join(__dirname, '../docs/snippets');
const CLIENTS = join(__dirname, '../clients');
const CSV = 'first_name,last_name,date\nThomas,Garcia,2016-10-01\nMaria,Smith,2016-03-01\n';
const ENRICHED = /^first_name,last_name,date,AGE.*\nThomas,Garcia,2016-10-01,69,.*\nMaria,Smith,2016-03-01,55,.*\n$/;
const DAYS = `CYCLE,CAND_ID,REF_DATE,CUMUL_DONORS\n2016,${ANA},2015-01-01,1\n`;

describe('the snippets', () => {
  let api: RunningApi;
  const folder = mkdtempSync(join(tmpdir(), 'donorlens-snippets-'));
  const input = join(folder, 'contributions.csv');
  const output = join(folder, 'enriched.csv');
  beforeAll(async () => {
    api = await runningApi();
    await storeCampaign(api.app.get<Pool>(PG_POOL));
    await api.app.get(ChartVersionWatch).refreshNow();
    writeFileSync(input, CSV);
    copyFileSync(join(CLIENTS, 'r/donorlens.R'), join(folder, 'donorlens.R'));
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}'); // like a project of Observable Framework
  });
  afterAll(async () => {
    await api.close();
    rmSync(folder, { recursive: true });
  });

  const read = (path: string): string => readFileSync(join(SNIPPETS, path), 'utf8');

  const environmentOf = (key: string): NodeJS.ProcessEnv => ({
    PATH: process.env.PATH,
    LANG: 'C.UTF-8',
    PYTHONPATH: join(CLIENTS, 'python/src'),
    PYTHONDONTWRITEBYTECODE: '1',
    DONORLENS_URL: api.url,
    DONORLENS_KEY: key,
  });

  /** Returns the output of a snippet while workers run. @throws if the snippet exits with an error */
  async function run(command: string, args: readonly string[], key = api.key): Promise<string> {
    const child = spawn(command, args, { env: environmentOf(key), cwd: folder });
    let [out, notes] = ['', ''];
    child.stdout.on('data', (part: Buffer) => (out += part.toString()));
    child.stderr.on('data', (part: Buffer) => (notes += part.toString()));
    const [code] = await workUntil<number[]>(api, once(child, 'close'));
    if (code !== 0) throw new Error(`ended with ${code}: ${notes}`);
    return out;
  }
  const curl = (file: string, ...args: string[]) => run('sh', [join(SNIPPETS, 'curl', file), ...args]);
  const python = (file: string, ...args: string[]) => run('python3', [join(SNIPPETS, 'python', file), ...args]);
  const r = (file: string, ...args: string[]) => run('Rscript', [join(SNIPPETS, 'r', file), ...args]);
  const loader = (file: string): Promise<string> => {
    copyFileSync(join(SNIPPETS, 'observable', file), join(folder, file));
    return run(process.execPath, [file]);
  };

  it('in curl return the expected results', async () => {
    expect(JSON.parse(await curl('ask-one.sh'))).toEqual({ age: 70, gender: 'm' });
    expect(JSON.parse(await curl('bulk.sh'))).toMatchObject({ results: [{ race: 'hispanic' }, { race: 'white' }] });
    const surnames = ["O'Neil", 'a"\\b', 'Garcia'];
    const file = join(folder, 'surnames.txt');
    writeFileSync(file, surnames.join('\r\n'));
    const { results } = JSON.parse(await curl('bulk.sh', file, '2016')) as { results: { surname: string }[] };
    expect(results.map(({ surname }) => surname)).toEqual(surnames);
    const { names, expected } = await thousandNames();
    const ages = join(folder, 'ages-by-curl.csv');
    await curl('names-file.sh', names, ages);
    const lines = readFileSync(ages, 'utf8').replace('AGE,GENDER', 'age,gender');
    expect(rowsOf(lines)).toEqual(expected);
    await expect(curl('names-file.sh', join(folder, 'package.json'), ages)).rejects.toThrow(
      /ended with 1: .*"status":400/s,
    );
    await curl('whole-file.sh', input, output);
    expect(readFileSync(output, 'utf8')).toMatch(ENRICHED);
    expect(await curl('chart-csv.sh', ANA, '2016')).toContain(DAYS);
  });

  /** A file of 1,000 names, and their ages and genders as the API returns them. */
  async function thousandNames(): Promise<{ names: string; expected: Record<string, string>[] }> {
    const given = ['Thomas', 'Maria', 'José', 'Wqzx, Unknown'];
    const queries = Array.from({ length: 1000 }, (_, index) => ({
      name: given[index % given.length],
      date: `${1980 + (index % 40)}-07-01`,
    }));
    const names = join(folder, 'names.csv');
    writeFileSync(names, ['name,date', ...queries.map(({ name, date }) => `"${name}",${date}`), ''].join('\n'));
    const response = await api.post('/enrich/v1/age_gender', { queries });
    const { results } = (await response.json()) as { results: { age: number | null; gender: string | null }[] };
    const textOf = (value: number | string | null): string => String(value ?? '');
    const expected = queries.map((query, index) => ({
      ...query,
      age: textOf(results[index].age),
      gender: textOf(results[index].gender),
    }));
    return { names, expected };
  }
  const rowsOf = (text: string) => parse<Record<string, string>>(text, { columns: true });

  it('in Python return the expected results with the client', async () => {
    expect(await python('ask_one.py')).toBe("{'age': 70, 'gender': 'm'}\n");
    const { names, expected } = await thousandNames();
    expect(rowsOf(await python('bulk.py', names))).toEqual(expected);
    await python('whole_file.py', input, output);
    expect(readFileSync(output, 'utf8')).toMatch(ENRICHED);
    expect(await python('chart_rows.py', ANA, '2016')).toBe('2015-01-04 3\n');
    await expect(python('chart_rows.py', ANA, '1980')).rejects.toThrow(/ended with 1: nothing found: \S+ shows/);
  });

  itWith('R')('in R return the expected results with the client', async () => {
    expect(await r('ask-one.R')).toBe('[1] 70\n[1] "m"\n');
    const { names, expected } = await thousandNames();
    await r('bulk.R', names, output);
    expect(rowsOf(readFileSync(output, 'utf8'))).toEqual(expected);
    await r('whole-file.R', input, output);
    expect(readFileSync(output, 'utf8')).toMatch(ENRICHED);
    expect(await r('chart-rows.R', ANA, '2016')).toBe('2015-01-04 3 \n');
    await expect(r('chart-rows.R', ANA, '1980')).rejects.toThrow(/nothing found: \S+ shows/);
    const own = join(folder, 'own-r.csv');
    writeFileSync(own, CSV.replace('first_name,last_name', 'Given,Family'));
    await expect(r('whole-file.R', own, output)).rejects.toThrow(/map\.first_name=<column>/);
    await r('whole-file.R', own, output, 'map.first_name=Given', 'map.surname=Family');
    expect(readFileSync(output, 'utf8')).toMatch(/\nThomas,Garcia,2016-10-01,69,/);
    await expect(run('Rscript', [join(SNIPPETS, 'r/chart-rows.R'), ANA, '2016'], 'no-key')).rejects.toThrow(/key/);
    for (const file of ['bulk.R', 'chart-rows.R', 'whole-file.R']) await expect(r(file)).rejects.toThrow(/usage: /);
  });

  /** The first example of a client's manual. */
  const exampleOf = (client: string): string => {
    const manual = readFileSync(join(CLIENTS, client, 'README.md'), 'utf8');
    return new RegExp(`\`\`\`${client}\\n(.*?)\`\`\``, 's').exec(manual)?.[1] ?? '';
  };

  it('from the manual of the Python client complete its three tasks', async () => {
    writeFileSync(join(folder, 'example.py'), exampleOf('python'));
    expect(await run('python3', ['example.py'])).toMatch(/^70 m\n(\d\n)*2\nno data\n$/);
    expect(readFileSync(output, 'utf8')).toMatch(ENRICHED);
  });

  itWith('R')('of the manual of the R client do the three tasks', async () => {
    writeFileSync(join(folder, 'example.R'), exampleOf('r'));
    expect(await run('Rscript', ['example.R'])).toMatch(/70 +m\n.*0 rows/s);
    expect(readFileSync(output, 'utf8')).toMatch(ENRICHED);
  });

  it('for DuckDB read the contributions file with its codes as text', async () => {
    const file = await api.send(`/data-charts/v1/contributions/search?candidate_id=${ANA}&raw=true`);
    const [header, first] = (await file.text()).split('\n');
    const codes: Record<string, string> = { FIPS: '06037', STATE: 'CA', TRANSACTION_DT: '03012016' };
    const cells = first.split(',').map((cell, index) => codes[header.split(',')[index]] ?? cell);
    const path = join(folder, 'filed.csv');
    writeFileSync(path, `${header}\n${cells.join(',')}\n`);
    const duckdb = await (await DuckDBInstance.create()).connect();
    const states = await duckdb.runAndReadAll(
      read('duckdb/contributions.sql').replace("'contributions.csv'", `'${path}'`),
    );
    expect(states.getRowObjectsJson()).toEqual([{ STATE: 'CA', contributions: '1', median_age: 40 }]);
    const rows = await duckdb.runAndReadAll('select FIPS, TRANSACTION_DT from contributions');
    expect(rows.getRowObjectsJson()).toEqual([{ FIPS: '06037', TRANSACTION_DT: '2016-03-01' }]);
    duckdb.closeSync();
  });

  it('for Google Sheets fetch a CSV with a key of one scope in the URL', async () => {
    const [, formula] = /=IMPORTDATA\("([^"]+)"\)/.exec(read('README.md')) ?? [];
    const url = formula
      .replace('https://donorlens.example.org', api.url)
      .replace('P90000001', ANA)
      .replace('2024', '2016');
    const response = await fetch(url.replace('KEY', await api.issue({ scopes: ['charts:read'] })));
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
    expect(await response.text()).toContain(DAYS);
  });

  it('that load data for Observable return the expected results', async () => {
    expect(JSON.parse(await loader('ask-one.json.js'))).toEqual({ age: 70, gender: 'm' });
    expect(JSON.parse(await loader('bulk.json.js'))).toMatchObject([{ race: 'hispanic' }, { race: 'white' }]);
    expect(await loader('whole-file.csv.js')).toMatch(ENRICHED);
  });

  it('for a whole file print why addresses wait, each reason once', async () => {
    writeFileSync(input, `${CSV.replace('\n', ',street,zip\n').replaceAll(/(\d)\n/g, '$1,1 Snippet St,06100\n')}`);
    copyFileSync(join(SNIPPETS, 'observable/whole-file.csv.js'), join(folder, 'whole-file.csv.js'));
    const looks = new Map<string, number>();
    const look = ({ url = '' }: IncomingMessage): void => {
      const id = /batches\/([\w-]{36})\?/.exec(url)?.[1];
      if (id !== undefined) looks.set(id, (looks.get(id) ?? 0) + 1);
    };
    const server = api.app.getHttpServer();
    server.on('request', look);
    const commands: [string, string[]][] = [
      ['sh', [join(SNIPPETS, 'curl/whole-file.sh'), input, join(folder, 'by-curl.csv')]],
      ['python3', [join(SNIPPETS, 'python/whole_file.py'), input, output]],
      [process.execPath, ['whole-file.csv.js']],
    ];
    const env = environmentOf(api.key);
    const children = commands.map(([command, args]) => spawn(command, args, { env, cwd: folder }));
    const notes = children.map(({ stderr }) => text(stderr));
    const ends = Promise.all(children.map((child) => once(child, 'close')));
    children.forEach(({ stdout }) => stdout.resume());
    const looked = until('all have looked again', () =>
      looks.size === 3 && [...looks.values()].every((count) => count > 2) ? true : null,
    );
    await workUntil(api, looked);
    server.off('request', look);
    await api.app.get<Pool>(PG_POOL).query(`update batch set state = 'completed' where state = 'running'`);
    expect(await ends).toEqual([
      [0, null],
      [0, null],
      [0, null],
    ]);
    for (const note of await Promise.all(notes)) {
      const said = note.split('\n').filter((line) => line.includes('waiting: 1 address pending'));
      expect([note, said.length > 0, new Set(said).size]).toEqual([note, true, said.length]);
    }
    for (const note of await Promise.all(notes))
      expect(note.split('\n').at(-2)).toBe('rows that still wait for their address (PENDING): 2');
    writeFileSync(input, CSV);
  });

  it('that draw in Observable read the columns of a CSV that allows any origin', async () => {
    const shown: unknown[] = [];
    const d3 = {
      autoType: (row: object) => row,
      csv: async (url: string) => {
        const answer = await fetch(url, { headers: { origin: 'https://example.org' } });
        expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
        return parse<Record<string, string>>(await answer.text(), { columns: true });
      },
    };
    const Plot = { plot: (spec: unknown) => spec, lineY: (rows: unknown[], channels: object) => ({ rows, channels }) };
    const cell = read('observable/chart-csv.js').replace('P90000001', ANA).replace('cycle=2024', 'cycle=2016');
    const parts = ['DONORLENS_URL', 'DONORLENS_KEY', 'd3', 'Plot', 'display'];
    // oxlint-disable-next-line typescript/no-implied-eval -- a cell has no imports; its values are passed as parameters
    await new Function(...parts, `return (async () => {${cell}})()`)(api.url, api.key, d3, Plot, (plot: unknown) =>
      shown.push(plot),
    );
    const [{ marks }] = shown as [{ marks: { rows: Record<string, string>[]; channels: Record<string, string> }[] }];
    expect(marks[0].rows.length).toBe(4);
    for (const column of [marks[0].channels.x, marks[0].channels.y, marks[0].channels.stroke])
      expect(marks[0].rows[0]).toHaveProperty(column);
  });

  it('fail with an invalid key', async () => {
    for (const [command, file] of [
      ['sh', 'curl/ask-one.sh'],
      ['python3', 'python/ask_one.py'],
    ])
      await expect(run(command, [join(SNIPPETS, file)], 'no-key')).rejects.toThrow(
        /ended with \d+: .*(401|unauthorized)/s,
      );
    await expect(run('sh', [join(SNIPPETS, 'curl/whole-file.sh'), input, output], 'no-key')).rejects.toThrow(/401/);
  });

  it('print the error of the service and their usage, and accept a mapping', async () => {
    const own = join(folder, 'own.csv');
    writeFileSync(own, CSV.replace('first_name,last_name', 'Given,Family'));
    await expect(curl('whole-file.sh', own, output)).rejects.toThrow(/map\.first_name=<column>/);
    await expect(python('whole_file.py', own, output)).rejects.toThrow(/ended with 1: .*map\.first_name=<column>/s);
    await expect(python('chart_rows.py', 'P9', '2016')).rejects.toThrow(/ended with 1: .*eight digits/s);
    await curl('whole-file.sh', own, output, 'map.first_name=Given&map.surname=Family');
    expect(readFileSync(output, 'utf8')).toMatch(/\nThomas,Garcia,2016-10-01,69,/);
    await python('whole_file.py', own, output, 'map.first_name=Given', 'map.surname=Family');
    expect(readFileSync(output, 'utf8')).toMatch(/\nThomas,Garcia,2016-10-01,69,/);
    for (const file of ['chart-csv.sh', 'whole-file.sh']) await expect(curl(file)).rejects.toThrow(/with 2: usage: /);
    for (const file of ['bulk.py', 'chart_rows.py', 'whole_file.py'])
      await expect(python(file)).rejects.toThrow(/with 1: usage: /);
  });

  it('use a candidate and a cycle of the sample', async () => {
    const sample = join(folder, 'sample');
    await writeSampleFiles(sample, { rows: 10 });
    for (const language of ['curl', 'python', 'r', 'observable']) {
      const [file] = readdirSync(join(SNIPPETS, language)).filter((name) => name.startsWith('chart'));
      const [, id, cycle] = /(P\d{8})(?: |&cycle=)(\d{4})/.exec(read(`${language}/${file}`)) ?? [];
      expect([file, readdirSync(join(sample, 'fec'))]).toEqual([file, expect.arrayContaining([cycle])]);
      expect([file, candidateLines(Number(cycle)).filter((line) => line.startsWith(`${id}|`)).length]).toEqual([
        file,
        1,
      ]);
    }
  });

  it('are all linked from their page', () => {
    const page = read('README.md');
    for (const language of ['curl', 'python', 'r', 'observable', 'duckdb'])
      for (const file of readdirSync(join(SNIPPETS, language))) expect(page).toContain(`(${language}/${file})`);
  });
});
