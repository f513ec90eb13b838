import { type Pool } from 'pg';

/** Where contributions came from: the newest file of a cycle, or the filings of one. */
export interface ImportedFile {
  readonly kind: 'contributions' | 'filing';
  readonly cycle: number;
  readonly label: 'official' | 'folder' | 'sample';
  /** address of the file */
  readonly source: string;
  readonly sha256: string | null;
  readonly rows: number;
  readonly rejected: number;
  /** when it was had from its publisher, where that is known; else when it was imported */
  readonly at: Date;
}

/** More filings than this are not listed one by one. */
const MOST = 100;

/** What the contributions that are stored were read from: files of whole cycles first, then filings, the newest first. */
export async function importedFiles(pool: Pool): Promise<ImportedFile[]> {
  const { rows } = await pool.query<ImportedFile>(
    `select i.kind, i.cycle, i.label, i.source, encode(i.sha256, 'hex') as sha256, i.rows_kept::int as rows,
       i.rows_rejected::int as rejected, coalesce(s.retrieved_at, i.finished_at, i.started_at) as at
     from fec_import i left join source_file s on s.url = i.source
     where i.state = 'done' and (
       i.kind = 'contributions' and not exists (
         select 1 from fec_import newer
         where newer.kind = i.kind and newer.cycle = i.cycle and newer.state = 'done' and newer.id > i.id)
       or i.kind = 'filing' and exists (select 1 from filing f where f.import_id = i.id and f.state = 'current'))
     order by i.kind, case i.kind when 'contributions' then i.cycle end, i.id desc limit ${MOST}`,
  );
  return rows;
}
