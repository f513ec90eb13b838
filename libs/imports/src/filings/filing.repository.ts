import { type Pool, type PoolClient } from 'pg';
import { type CivilDay, formatCivilDay } from '@donorlens/primitives';
import { type StoredImport } from '../engine/stored-import';
import { type StoredFacts } from './filing-report';
import { type Reconciliation } from './parser/filing';

export type FilingState = 'loading' | 'current' | 'superseded';

/** A filing whose form was read. */
export interface NewFiling {
  /** FEC file number, or a negative substitute if it is unknown. */
  readonly fileNum: string;
  readonly committeeId: string;
  readonly form: string;
  readonly version: string;
  /** File number of the filing that it amends; null if it amends none or does not name it. */
  readonly amends: string | null;
  /** Number of the amendment; 0 for the first filing of a report. */
  readonly amendment: number;
  readonly reportCode: string;
  /** NaN if the form states none. */
  readonly coverageFrom: CivilDay;
  readonly coverageTo: CivilDay;
}

export interface StoredFiling {
  readonly fileNum: string;
  readonly importId: string;
  readonly committeeId: string;
  readonly original: string;
  readonly amendment: number;
  readonly state: FilingState;
  /** SHA-256 of the file, in hex. */
  readonly sha256: string | null;
  /** Number of rows that its import stored, including rows that were removed later. */
  readonly kept: number;
  /** Digest of the committees whose rows were imported; null if the rows do not depend on it. */
  readonly committees: string | null;
}

/** The filings of a report: the first one and its amendments. */
export interface Chain {
  /** The first filing of the report. */
  readonly original: string;
  /** Filings before the new one. Only the last of the chain is current. */
  readonly earlier: readonly StoredFiling[];
  readonly later: readonly StoredFiling[];
}

const COLUMNS = `f.file_num::text as "fileNum", f.import_id::text as "importId", f.cmte_id as "committeeId",
  f.original::text, f.amendment, f.state, encode(i.sha256, 'hex') as sha256,
  i.rows_kept::int as kept, i.detail->>'committees' as committees`;
const STORED = `select ${COLUMNS} from filing f join fec_import i on i.id = f.import_id`;

const SAME_PERIOD = `(f.report_code = $5 and f.coverage_from is not distinct from $6::date
  and f.coverage_to is not distinct from $7::date and rtrim(f.form_type, 'NAT') = $8)`;

type FilingRowCounts = Pick<StoredFacts, 'kept' | 'rejected' | 'duplicates'>;

/** Table filing. */
export class FilingRepository {
  constructor(private readonly pool: Pool) {}

  async find(fileNum: string): Promise<StoredFiling | null> {
    const { rows } = await this.pool.query<StoredFiling>(`${STORED} where f.file_num = $1`, [fileNum]);
    return rows[0] ?? null;
  }

  /**
   * Completely imported filings with the same bytes, those with an FEC file number first; without those to read again.
   * @param recordVersion - RECORD_VERSION; imports before version 2 did not store it
   */
  async findBySha256(committeeId: string, sha256: string, recordVersion: number): Promise<StoredFiling[]> {
    const { rows } = await this.pool.query<StoredFiling>(
      `${STORED} where f.cmte_id = $1 and i.sha256 = decode($2, 'hex') and f.state <> 'loading'
         and not (i.detail ? 'readAgain') and coalesce((i.detail->>'recordVersion')::int, 1) = $3
       order by f.file_num desc`,
      [committeeId, sha256, recordVersion],
    );
    return rows;
  }

  /** Filings whose import failed or was abandoned: some of their rows may be stored. */
  async abandoned(): Promise<string[]> {
    const { rows } = await this.pool.query<{ fileNum: string }>(
      `select f.file_num::text as "fileNum" from filing f join fec_import i on i.id = f.import_id
       where f.state = 'loading' and i.state in ('failed', 'abandoned')`,
    );
    return rows.map(({ fileNum }) => fileNum);
  }

  /**
   * The stored filings of the same report before and after a filing. An amendment may name the first filing or the
   * previous one. If a number is unknown or an amendment does not say what it amends, the period identifies the report.
   */
  async chainOf(client: Pool | PoolClient, filing: NewFiling): Promise<Chain> {
    const { fileNum, committeeId, amends } = filing;
    const { rows: named } = await client.query<{ original: string }>(
      `select original::text from filing where cmte_id = $1 and file_num = $2`,
      [committeeId, amends],
    );
    const original = named[0]?.original ?? amends ?? fileNum;
    const { rows } = await client.query<StoredFiling>(
      `${STORED} where f.cmte_id = $1 and f.file_num <> $2 and f.state <> 'loading'
         and (f.original = any ($3) or ${SAME_PERIOD} and ($4 or f.file_num < 0))
       order by f.amendment, f.file_num`,
      [
        committeeId,
        fileNum,
        [original, fileNum],
        isUnidentified(filing),
        filing.reportCode,
        dateOf(filing.coverageFrom),
        dateOf(filing.coverageTo),
        kindOfForm(filing.form),
      ],
    );
    return {
      original,
      earlier: rows.filter((row) => !isLater(row, filing)),
      later: rows.filter((row) => isLater(row, filing)),
    };
  }

  /** Marks a filing whose rows are being imported. An already stored filing stays unchanged until they are stored. */
  async begin(client: PoolClient, importId: string, filing: NewFiling, original: string): Promise<void> {
    await client.query(
      `insert into filing (file_num, import_id, cmte_id, form_type, version, original, amendment, report_code,
         coverage_from, coverage_to, state)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 'loading')
       on conflict (file_num) do update set import_id = excluded.import_id where filing.state = 'loading'`,
      [
        filing.fileNum,
        importId,
        filing.committeeId,
        filing.form,
        filing.version,
        original,
        filing.amendment,
        filing.reportCode,
        dateOf(filing.coverageFrom),
        dateOf(filing.coverageTo),
      ],
    );
  }

  /** All rows are stored: this filing, or a later one of its chain, becomes effective. */
  async finish(
    client: PoolClient,
    importId: string,
    filing: NewFiling,
    end: { original: string; state: 'current' | 'superseded'; reconciliation: Reconciliation },
  ): Promise<void> {
    await client.query(
      `update filing set import_id = $2, state = $3, original = $4, amendment = $5, reconciliation = $6
       where file_num = $1`,
      [filing.fileNum, importId, end.state, end.original, filing.amendment, JSON.stringify(end.reconciliation)],
    );
    // Amendments that were imported before this filing named it as the first one; now the first one is known.
    await client.query(`update filing set original = $3 where cmte_id = $1 and original = $2 and file_num <> $2`, [
      filing.committeeId,
      filing.fileNum,
      end.original,
    ]);
  }

  async supersede(client: PoolClient, fileNums: readonly string[]): Promise<void> {
    await client.query(`update filing set state = 'superseded' where file_num = any ($1::bigint[])`, [fileNums]);
  }

  /** Deletes the entry of a filing that has no stored rows. */
  async deleteFiling(client: PoolClient, fileNum: string): Promise<void> {
    await client.query('delete from filing where file_num = $1', [fileNum]);
  }
  /** Cycles of a filing's stored rows. */
  async cyclesOf(client: PoolClient, fileNum: string): Promise<number[]> {
    const { rows } = await client.query<{ cycle: number }>(
      'select distinct cycle from contribution where file_num = $1 and row_id < 0',
      [fileNum],
    );
    return rows.map(({ cycle }) => cycle);
  }

  /** Number of a filing's rows in the table of contributions. */
  async storedRows(fileNum: string, client: Pick<PoolClient, 'query'> = this.pool): Promise<number> {
    const { rows } = await client.query<{ rows: number }>(
      'select count(*)::int as rows from contribution where file_num = $1 and row_id < 0',
      [fileNum],
    );
    return rows[0].rows;
  }

  /** Row counts of an import before any row of it is removed. Rejects of workers have line numbers below 1. */
  async rowCounts(client: PoolClient, { id, kept }: StoredImport, fileNum: string): Promise<FilingRowCounts> {
    const { rows } = await client.query<{ code: string; rows: number; byWorkers: number }>(
      `select code, count(*)::int as rows, count(*) filter (where line < 1)::int as "byWorkers"
       from fec_reject where import_id = $1 group by code order by code`,
      [id],
    );
    const byWorkers = rows.reduce((sum, code) => sum + code.byWorkers, 0);
    return {
      kept,
      rejected: Object.fromEntries(rows.map((code) => [code.code, code.rows])),
      duplicates: kept - byWorkers - (await this.storedRows(fileNum, client)),
    };
  }
}

/** True if neither number nor amendment identifies the report. */
const isUnidentified = ({ fileNum, amendment, amends }: NewFiling): boolean =>
  fileNum.startsWith('-') || (amendment > 0 && amends === null);

/** `F3PA` gives `F3P`. */
const kindOfForm = (form: string): string => form.replace(/[NAT]$/, '');

/** Compares the filer's number of the amendment; if equal, the file number, which rises with time. */
const isLater = (row: StoredFiling, filing: NewFiling): boolean =>
  row.amendment !== filing.amendment ? row.amendment > filing.amendment : BigInt(row.fileNum) > BigInt(filing.fileNum);

const dateOf = (day: CivilDay): string | null => (Number.isNaN(day) ? null : formatCivilDay(day));
