/**
 * Limits of an input, and of a process: workbookBytes, streams, waiting and uploads. An input is rejected, never
 * truncated.
 */
export const INTAKE_LIMITS = {
  /** Uncompressed. */
  bytes: 2 * 1024 ** 3,
  rows: 20_000_000,
  columns: 1_000,
  /** One record, its line breaks included. Beyond it, a quote was most likely never closed. */
  recordBytes: 8 * 1024 ** 2,
  headerBytes: 256 * 1024,
  /** Memory of all workbooks that are read at a time: their files and texts. */
  workbookBytes: 256 * 1024 ** 2,
  /** Read for a preview, uncompressed; tripled by quoting, it is still less than a chunk. */
  previewBytes: 256 * 1024,
  /** Text of a chunk: with very long records a chunk holds fewer rows, so that a worker's memory stays bounded. */
  chunkBytes: 1024 ** 2,
  /** How much larger than the gzip bytes read so far an input may be; deflate reaches 1,032, text has 3 to 50. */
  gzipRatio: 100,
  /** Below this output size the ratio is not checked: small inputs of equal rows compress very well. */
  gzipFreeBytes: 1024 ** 2,
  /** Longest time without a byte from the client. */
  idleMs: 60_000,
  /** Compressed chunks kept in memory before a transaction is opened for the rest: about 100,000 rows. */
  headBytes: 4 * 1024 ** 2,
  /** Larger inputs stored at a time; each holds a database connection until it has arrived. */
  streams: 4,
  /** While so many requests wait for a database connection, an input is refused before it is parsed. */
  waiting: 256,
  /**
   * Uploads read at a time beyond their first bytes, and of one key: each may hold a record and the chunks before it,
   * 12 MB.
   */
  uploads: { all: 12, ofKey: 4, waitMs: 60_000 },
  /** Read of an upload without a slot: small ones never wait for large ones. */
  freeBytes: 64 * 1024,
} as const;
