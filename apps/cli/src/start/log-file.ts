import { closeSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs';

/** Size at which a log file gives way to a new one; one older file is kept. */
const MOST_BYTES = 5_000_000;

/** A log file that never grows past two times its limit. Written at once: the last line before a crash matters most. */
export class LogFile {
  private descriptor: number;
  private bytes: number;

  constructor(
    private readonly path: string,
    private readonly mostBytes = MOST_BYTES,
  ) {
    this.descriptor = openSync(path, 'a', 0o600);
    this.bytes = fstatSync(this.descriptor).size;
  }

  line(text: string): void {
    const data = Buffer.from(`${text}\n`);
    if (this.bytes > 0 && this.bytes + data.length > this.mostBytes) this.rotate();
    try {
      this.bytes += writeSync(this.descriptor, data);
    } catch {
      // A full disk must not end the service; the line is on the screen as well.
    }
  }

  close(): void {
    closeSync(this.descriptor);
  }

  private rotate(): void {
    closeSync(this.descriptor);
    renameSync(this.path, `${this.path}.1`);
    this.descriptor = openSync(this.path, 'a', 0o600);
    this.bytes = 0;
  }
}
