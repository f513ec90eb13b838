import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { parseCivilDay } from '@donorlens/primitives';
import { Mutex } from 'async-mutex';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { type CsvRecordReader } from '../csv-record-reader';
import { type CellKind, type FileColumn } from './file-column';

/** A row group is written once it has so many rows or bytes of CSV: of 43 columns it takes some 30 MB. */
const GROUP_ROWS = 16_384;
const GROUP_BYTES = 16 * 1024 * 1024;
const ROWS_PER_YIELD = 500;

type Value = string | number | boolean;
type Schema = ParquetWriter['schema'];

const TYPES: Readonly<Record<CellKind, Omit<Schema[number], 'name'>>> = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
  whole: { type: 'INT32' },
  number: { type: 'DOUBLE' },
  flag: { type: 'BOOLEAN' },
  date: { type: 'INT32', converted_type: 'DATE', logical_type: { type: 'DATE' } },
};

const VALUES: Readonly<Record<CellKind, (text: string) => Value>> = {
  text: (text) => text,
  whole: Number,
  number: Number,
  flag: (text) => text === 'true',
  date: parseCivilDay,
};

/** One row group at a time is in memory, however many files are sent; clients that read slowly do not hold it. */
const gathering = new Mutex();

/** A table as Parquet: typed columns, dictionaries if they are shorter, Snappy. */
export async function* parquetPieces(
  columns: readonly FileColumn[],
  records: AsyncGenerator<CsvRecordReader, void>,
): AsyncGenerator<Buffer, void> {
  const file = new ParquetFile(columns);
  for (let hasMore = true; hasMore;) {
    hasMore = await gathering.runExclusive(() => file.addGroup(records));
    yield file.written();
  }
  file.finish();
  yield file.written();
}

class ParquetFile {
  private readonly names: readonly string[];
  private readonly bytes = new ByteWriter();
  private readonly writer: ParquetWriter;

  constructor(private readonly columns: readonly FileColumn[]) {
    this.names = distinctNames(columns.map(({ name }) => name));
    const schema: Schema = [
      { name: 'root', num_children: columns.length },
      ...columns.map(({ kind }, at): Schema[number] => ({
        name: this.names[at],
        repetition_type: 'OPTIONAL',
        ...TYPES[kind],
      })),
    ];
    this.writer = new ParquetWriter({ writer: this.bytes, schema, createdBy: 'donorlens' });
  }

  /** @returns false at the end of the records */
  async addGroup(records: AsyncGenerator<CsvRecordReader, void>): Promise<boolean> {
    const group = this.columns.map((): (Value | null)[] => []);
    for (let bytes = 0; bytes < GROUP_BYTES && group[0].length < GROUP_ROWS;) {
      const next = await records.next();
      if (next.done) {
        await this.write(group);
        return false;
      }
      bytes += next.value.length;
      await this.read(next.value, group);
    }
    await this.write(group);
    return true;
  }

  finish(): void {
    void this.writer.finish();
  }

  written(): Buffer {
    const written = Buffer.from(this.bytes.getBuffer());
    this.bytes.index = 0;
    return written;
  }

  private async read(records: CsvRecordReader, group: readonly (Value | null)[][]): Promise<void> {
    while (records.read()) {
      this.columns.forEach(({ kind }, at) => {
        const text = records.exactText(at);
        group[at].push(text === '' ? null : VALUES[kind](text));
      });
      if (group[0].length % ROWS_PER_YIELD === 0) await yieldToEventLoop();
    }
  }

  /** Column by column, with a yield after each; the writer takes each for a row group, which are then made one. */
  private async write(group: readonly (Value | null)[][]): Promise<void> {
    const rows = group[0].length;
    if (rows === 0) return;
    const { row_groups: groups } = this.writer;
    const before = groups.length;
    const rowsBefore = this.writer.num_rows;
    for (const [at, data] of group.entries()) {
      void this.writer.write({ columnData: [{ name: this.names[at], data }], rowGroupSize: rows });
      await yieldToEventLoop();
    }
    const written = groups.splice(before);
    groups.push({
      columns: written.flatMap(({ columns }) => columns),
      total_byte_size: written.reduce((sum, one) => sum + one.total_byte_size, 0n),
      total_compressed_size: written.reduce((sum, one) => sum + (one.total_compressed_size ?? 0n), 0n),
      num_rows: BigInt(rows),
    });
    this.writer.num_rows = rowsBefore + BigInt(rows);
  }
}

/**
 * Columns of Parquet have names, each once: a later `AGE` is `AGE_1`, and one without a name `COLUMN_` and its number.
 */
export function distinctNames(names: readonly string[]): string[] {
  const used = new Set<string>();
  return names.map((given, at) => {
    const name = given === '' ? `COLUMN_${at + 1}` : given;
    let free = name;
    for (let count = 1; used.has(free); count++) free = `${name}_${count}`;
    used.add(free);
    return free;
  });
}
