import { createHash } from 'node:crypto';

export type ImportKind = 'masters' | 'contributions' | 'filing' | 'reenrich';
export type ImportState = 'loading' | 'done' | 'failed' | 'abandoned';
export type SourceLabel = 'official' | 'folder' | 'sample';
/** Further counts and facts of an import, kept as JSON. */
export type ImportDetail = Readonly<Record<string, unknown>>;

/** An import before its first byte is read. */
export interface NewImport {
  readonly kind: ImportKind;
  readonly cycle: number;
  readonly label: SourceLabel;
  /** URL or name of the file. */
  readonly source: string;
  /** SHA-256 of the file as published, in hex; null for an import without a file. */
  readonly sha256: string | null;
  /** Size of the unpacked text; null if unknown. */
  readonly bytesTotal?: number | null;
  readonly detail?: ImportDetail;
}

/** Position of the reading: all records before it are in chunks, none after it. */
export interface ImportPosition {
  /** Offset in the unpacked text, at the end of a line. */
  readonly bytesRead: number;
  readonly prefixSha256: Buffer | null;
  readonly linesRead: number;
  /** Merged into the stored detail. */
  readonly detail?: ImportDetail;
}

export interface StoredImport extends ImportPosition {
  readonly id: string;
  readonly kind: ImportKind;
  readonly cycle: number;
  readonly label: SourceLabel;
  readonly source: string;
  readonly sha256: string | null;
  readonly state: ImportState;
  readonly bytesTotal: number | null;
  readonly kept: number;
  readonly rejected: number;
  readonly detail: ImportDetail;
  readonly errorCode: string | null;
  readonly startedAt: Date;
  readonly finishedAt: Date | null;
}

/** A row of `fec_import` as node-postgres returns it. */
export interface ImportRow {
  id: string;
  kind: ImportKind;
  cycle: number;
  label: SourceLabel;
  source: string;
  sha256: Buffer | null;
  state: ImportState;
  bytes_total: string | null;
  bytes_read: string;
  prefix_sha256: Buffer | null;
  lines_read: string;
  rows_kept: string;
  rows_rejected: string;
  detail: ImportDetail;
  error_code: string | null;
  started_at: Date;
  finished_at: Date | null;
}

export const storedImport = (row: ImportRow): StoredImport => ({
  id: row.id,
  kind: row.kind,
  cycle: row.cycle,
  label: row.label,
  source: row.source,
  sha256: row.sha256 && row.sha256.toString('hex'),
  state: row.state,
  bytesTotal: row.bytes_total === null ? null : Number(row.bytes_total),
  bytesRead: Number(row.bytes_read),
  prefixSha256: row.prefix_sha256,
  linesRead: Number(row.lines_read),
  kept: Number(row.rows_kept),
  rejected: Number(row.rows_rejected),
  detail: row.detail,
  errorCode: row.error_code,
  startedAt: row.started_at,
  finishedAt: row.finished_at,
});

/** Digest of a set of committee ids, to detect that the set has changed. */
export const digestOf = (ids: ReadonlySet<string>): string =>
  createHash('sha256')
    .update([...ids].sort().join('\n'))
    .digest('hex')
    .slice(0, 16);
