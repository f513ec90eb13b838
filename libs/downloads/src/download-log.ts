/** What the last download of an address gave; with it the next one is asked for only if it changed. */
export interface DownloadRecord {
  readonly url: string;
  readonly etag: string | null;
  readonly lastModified: string | null;
  readonly sha256: string;
  readonly bytes: number;
  /** ISO 8601, UTC */
  readonly retrievedAt: string;
}

/** Where downloads are remembered. */
export interface DownloadLog {
  find(url: string): Promise<DownloadRecord | null>;
  /** @returns the checksum that the address led to before, where no address leads to it any more; else null */
  save(record: DownloadRecord): Promise<string | null>;
}
