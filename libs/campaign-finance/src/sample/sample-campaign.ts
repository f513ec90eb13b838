export interface SampleOptions {
  /** Rows of contributions, over both cycles. */
  readonly rows?: number;
  readonly seed?: number;
  readonly cycles?: readonly [number, number];
}

/** Files of a made-up campaign, laid out and written as the FEC publishes its own. */
export function writeSampleFiles(folder: string, options: SampleOptions = {}): Promise<void> {
  void folder;
  void options;
  return Promise.reject(new Error('not there yet'));
}

export interface SampleRows {
  readonly rows: number;
  readonly seed?: number;
  readonly cycle: number;
}

/** The text of an `itcont` file of any size, in pieces, with flat memory. */
export function* sampleItcont(rows: SampleRows): Generator<Buffer> {
  void rows;
  yield Buffer.alloc(0);
}
