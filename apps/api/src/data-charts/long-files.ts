import { filesAreBeingRead } from './file-slots';
import { type LongTable, type Reading } from './table-body';

/** Clients, some of them slow: gzipped, each takes a third of a megabyte. */
const MOST_READERS = 64;
/** Different files: the rows of one may take tens of megabytes. */
const MOST_FILES = 4;

/** Files too long to be kept, while they are being read: who asks for one meanwhile gets it of the same rows. */
export class LongFiles {
  private readonly files = new Map<string, { readonly table: LongTable; readers: number }>();
  private readers = 0;

  get(key: string): LongTable | undefined {
    return this.files.get(key)?.table;
  }

  /** @throws Problem 503 where too many are being read */
  read(table: LongTable): Reading {
    const { key } = table;
    const file = this.files.get(key) ?? { table, readers: 0 }; // of one made twice, the rows that are read already
    if (file.readers === 0 && this.files.size >= MOST_FILES) throw filesAreBeingRead(MOST_FILES);
    if (this.readers >= MOST_READERS) throw filesAreBeingRead(MOST_READERS);
    this.files.set(key, file);
    this.readers++;
    file.readers++;
    const end = (): void => {
      this.readers--;
      if (--file.readers === 0) this.files.delete(key);
    };
    return { pieces: file.table.pieces, end };
  }
}
