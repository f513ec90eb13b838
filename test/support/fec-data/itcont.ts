import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { type Pool } from 'pg';
import { ZipFile } from 'yazl';

/** A synthetic contribution as a line of the FEC's file of individual contributions, without the line end. */
export function itcontLine(subId: number | string, cells: Readonly<Record<string, string>> = {}): string {
  const row = {
    CMTE_ID: 'C00001000',
    AMNDT_IND: 'N',
    RPT_TP: 'M4',
    TRANSACTION_PGI: 'P',
    IMAGE_NUM: '201604200000000001',
    TRANSACTION_TP: '15',
    ENTITY_TP: 'IND',
    NAME: `SAMPLE${letters(String(subId))}, JENNIFER`,
    CITY: 'SPRINGFIELD',
    STATE: 'IL',
    ZIP_CODE: '62701',
    EMPLOYER: '',
    OCCUPATION: 'TEACHER',
    TRANSACTION_DT: '03012016',
    TRANSACTION_AMT: '25',
    OTHER_ID: '',
    TRAN_ID: `SA17.${subId}`,
    FILE_NUM: '1000001',
    MEMO_CD: '',
    MEMO_TEXT: '',
    SUB_ID: String(subId),
    ...cells,
  };
  return Object.values(row).join('|');
}

/** Letters for digits, because names have no digits. */
const letters = (digits: string): string =>
  [...digits].map((digit) => String.fromCharCode('A'.charCodeAt(0) + Number(digit))).join('');

export const itcontLines = (from: number, count: number, cells: Readonly<Record<string, string>> = {}): string[] =>
  Array.from({ length: count }, (_, i) => itcontLine(from + i, cells));

export function zipped(members: Readonly<Record<string, string>>): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [name, text] of Object.entries(members)) zip.addBuffer(Buffer.from(text, 'latin1'), name);
  zip.end();
  return buffer(zip.outputStream);
}

export const sha256Of = (bytes: Buffer | string): string => createHash('sha256').update(bytes).digest('hex');

/** Links committees of synthetic House candidates in a cycle and stores the candidates. */
export async function linkHouseCommittees(pool: Pool, cycle: number, ...committees: string[]): Promise<void> {
  await linkCommittees(pool, cycle, ...committees);
  await pool.query(`update linkage set cand_id = 'H' || substr(cand_id, 2) where cmte_id = any ($1)`, [committees]);
  await pool.query(
    `insert into candidate select cand_id, cycle, 'DOE, PAT', '', '', 'ZZ', 'H', '01', '', '', '', '', '', '', '', '', 'DOE, PAT'
     from linkage where cmte_id = any ($1)`,
    [committees],
  );
}

/** Links committees of synthetic presidential candidates in a cycle. */
export async function linkCommittees(pool: Pool, cycle: number, ...committees: string[]): Promise<void> {
  for (const id of committees)
    await pool.query(`insert into linkage values ($1, $2, $3, $4, 'P', 'P', '1') on conflict do nothing`, [
      `P6${id.slice(2)}`,
      id,
      cycle,
      String(cycle),
    ]);
}
