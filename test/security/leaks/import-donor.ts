import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { IMPORT_LEASE } from '@donorlens/imports';
import { type Installation, ROOT, until } from '../../support/installation';
import { CITY, FIRST_NAME, SURNAME } from './planted-values';

const CYCLE = 2016;
const COMMITTEE = 'C00999001';

const LINE = [
  ...[COMMITTEE, 'N', 'M4', 'P', '201604200000000001', '15', 'IND', `${SURNAME}, ${FIRST_NAME}`, CITY, 'IL', '62701'],
  ...['', 'TEACHER', '03012016', '25', '', 'SA17.1', '1000001', '', '', '4042020161000000001'],
].join('|');

/** Imports a donor from an FEC file, also in lines that cannot be parsed. @returns the output of the command */
export async function importDonor({ postgres, environment, home }: Installation): Promise<string> {
  const client = new Client({ connectionString: postgres.url });
  await client.connect();
  await importsAreIdle(client);
  await client.query(`update fec_import set label = 'folder'`); // real rows never stand beside those of the sample
  await client.query(`insert into linkage values ('P60999001', $1, $2, $3, 'P', 'P', '1')`, [
    COMMITTEE,
    CYCLE,
    `${CYCLE}`,
  ]);
  await client.end();
  mkdirSync(join(home, 'given'));
  const file = join(home, 'given', 'itcont.txt');
  writeFileSync(file, `${LINE}\n${LINE.replace('03012016', CITY).replace('0000001', '0000002')}\n${SURNAME}|${CITY}\n`);
  const args = ['import', 'fec', '--cycle', String(CYCLE), '--contributions', file, '--json'];
  return new Promise((done) =>
    execFile(
      process.execPath,
      [join(ROOT, 'dist/apps/cli/src/main.js'), ...args],
      { env: { PATH: process.env.PATH, ...environment } },
      (_error, stdout, stderr) => done(stdout + stderr),
    ),
  );
}

/**
 * The command refuses to start beside another import: the sample of a first start, or the charts that an operator
 * requests.
 */
const importsAreIdle = (client: Client): Promise<unknown> =>
  until(
    'the sample is imported and nothing else is',
    async () => {
      const { rows } = await client.query<{ idle: boolean }>(
        `select exists (select from fec_import)
           and not exists (select from lease where name = $1 and expires_at > now())
           and not exists (select from ops_request where state in ('asked', 'running')) as idle`,
        [IMPORT_LEASE],
      );
      return rows[0].idle;
    },
    180_000,
  );
