import { type Pool } from 'pg';

/** A source of contributions: the newest file of a cycle, or a filing. */
export interface ImportedFile {
  readonly kind: 'contributions' | 'filing';
  readonly cycle: number;
  readonly label: 'official' | 'folder' | 'sample';
  /** address of the file */
  readonly source: string;
  readonly sha256: string | null;
  readonly rows: number;
  readonly rejected: number;
  /** time of retrieval from the publisher if known, else time of the import */
  readonly at: Date;
}

/** The sources of the stored contributions. */
export interface ImportedFiles {
  /** files of whole cycles first, then the newest filings */
  readonly files: readonly ImportedFile[];
  /** number of all filings, including unlisted ones */
  readonly filings: number;
  /** whether the synthetic sample is one of the sources */
  readonly hasSample: boolean;
}

/** Imports whose rows are stored: the newest file of each cycle, and filings that no amendment has replaced. */
const CURRENT = `select * from fec_import i
  where i.state = 'done' and (
    i.kind = 'contributions' and not exists (
      select 1 from fec_import newer
      where newer.kind = i.kind and newer.cycle = i.cycle and newer.state = 'done' and newer.id > i.id)
    or i.kind = 'filing' and exists (select 1 from filing f where f.import_id = i.id and f.state = 'current'))`;

/** @param maxFilings - number of filings to list; `filings` counts all of them */
export async function importedFiles(pool: Pool, maxFilings: number): Promise<ImportedFiles> {
  const files = await pool.query<ImportedFile>(
    `select i.kind, i.cycle, i.label, i.source, encode(i.sha256, 'hex') as sha256, i.rows_kept::int as rows,
       i.rows_rejected::int as rejected, coalesce(s.retrieved_at, i.finished_at, i.started_at) as at
     from (select *, row_number() over (partition by kind order by id desc) as place from (${CURRENT}) c) i
     left join source_file s on s.url = i.source
     where i.kind = 'contributions' or i.place <= $1
     order by i.kind, case i.kind when 'contributions' then i.cycle end, i.id desc`,
    [maxFilings],
  );
  const all = await pool.query<{ readonly filings: number; readonly hasSample: boolean }>(
    `select count(*) filter (where kind = 'filing')::int as filings,
       coalesce(bool_or(label = 'sample'), false) as "hasSample" from (${CURRENT}) i`,
  );
  return { files: files.rows, ...all.rows[0] };
}
