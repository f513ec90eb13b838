import { spawnSync } from 'node:child_process';
import { chmodSync, closeSync, mkdtempSync, openSync, rmSync, rmdirSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const BLOCK = Buffer.alloc(64 * 1024);

/** A tmpfs of a few megabytes; mounting it needs root. */
export class SmallDisk {
  private constructor(readonly path: string) {}

  static mount(megabytes: number): SmallDisk {
    const path = mkdtempSync(join(tmpdir(), 'donorlens-small-disk-'));
    const { status, error } = spawnSync('mount', [
      '-t',
      'tmpfs',
      '-o',
      `size=${megabytes}m`,
      'donorlens-small-disk',
      path,
    ]);
    if (status !== 0) {
      rmdirSync(path);
      throw new Error(`not run: mounting a small file system needs root ${error?.message ?? ''}`);
    }
    chmodSync(path, 0o711);
    return new SmallDisk(path);
  }

  /** Fills the disk to the last byte. */
  fill(): void {
    const ballast = openSync(this.ballast, 'a');
    try {
      for (let size = BLOCK.length; size > 0;)
        try {
          if (writeSync(ballast, BLOCK, 0, size) < size) break;
        } catch {
          size = Math.floor(size / 2);
        }
    } finally {
      closeSync(ballast);
    }
  }

  makeRoom(): void {
    rmSync(this.ballast, { force: true });
  }

  unmount(): void {
    spawnSync('umount', ['--lazy', this.path]);
    rmdirSync(this.path);
  }

  private get ballast(): string {
    return join(this.path, 'ballast');
  }
}
