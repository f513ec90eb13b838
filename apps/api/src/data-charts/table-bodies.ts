import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { ChartVersionWatch } from '@donorlens/charts';
import { LOGGER, type Logger } from '@donorlens/observability';
import { BodyCache } from './body-cache';
import { LongFiles } from './long-files';
import { published, publishedOrNull } from './published';
import { type Question, versionKey } from './question';
import {
  isLong,
  isWorthGzip,
  type LongTable,
  type LongVariant,
  longVariant,
  type TableBody,
  tableBody,
  type Variant,
  withGzip,
} from './table-body';
import { TableRows } from './table-rows';

const MOST_BYTES = 128 * 1024 * 1024;
/** Questions that are answered again by themselves when a version has moved. */
const MOST_RECENT = 64;
const LOOK_EVERY_MS = 1_000;

/**
 * Files as they leave, made once per version and question. A file that is kept costs no query; two who ask for the same
 * one share its making. After a version has moved, what was asked last is made anew before somebody has to wait for it.
 * A long file is not kept: those who read it at a time share its rows, and each has it written anew.
 */
@Injectable()
export class TableBodies implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly cache = new BodyCache<TableBody>(MOST_BYTES);
  private readonly long = new LongFiles();
  private readonly making = new Map<string, Promise<TableBody | LongTable>>();
  private readonly packing = new Map<string, Promise<Variant>>();
  private readonly recent = new Map<string, Question>();
  private timer: NodeJS.Timeout | undefined;
  private newest: Question | undefined;
  private filledFor = '';
  private filling: Promise<void> | undefined;

  constructor(
    private readonly rows: TableRows,
    private readonly watch: ChartVersionWatch,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.watch.start();
    this.timer = setInterval(() => void this.refill(), LOOK_EVERY_MS).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
    this.watch.stop();
  }

  /**
   * The file in the wanted form; at once where it is kept.
   * @throws Problem 503 where nothing is published yet
   */
  find(question: Question, gzip: boolean): Variant | LongVariant | Promise<Variant | LongVariant> {
    const key = question.keyIn(published(this.watch, question.file.madeFrom).id);
    const long = this.long.get(key);
    if (long !== undefined) return this.longVariant(long, gzip);
    this.remember(question);
    const body = this.cache.get(key);
    if (body !== undefined) return this.variant(key, body, gzip);
    return this.made(key, question).then((made) =>
      isLong(made) ? this.longVariant(made, gzip) : this.variant(key, made, gzip),
    );
  }

  /** Makes what was asked last for versions that are new; two who want it at a time wait for the same. */
  refill(): Promise<void> {
    return (this.filling ??= this.fill().finally(() => (this.filling = undefined)));
  }

  /** Until what is kept is of the versions as they then are: they may move while it makes. */
  private async fill(): Promise<void> {
    for (let ids = this.ids(); ids.join() !== this.filledFor; ids = this.ids()) {
      this.filledFor = ids.join();
      for (const question of [...this.recent.values()].reverse()) await this.makeAnew(question);
      const current = this.ids();
      this.cache.keep((key) => current.some((id) => id !== undefined && key.startsWith(versionKey(id, ''))));
    }
  }

  private ids(): readonly (string | undefined)[] {
    const versions = this.watch.current();
    return [publishedOrNull(versions, 'charts')?.id, publishedOrNull(versions, 'masters')?.id];
  }

  private async makeAnew(question: Question): Promise<void> {
    const id = publishedOrNull(this.watch.current(), question.file.madeFrom)?.id;
    if (id === undefined) return;
    const key = question.keyIn(id);
    if (this.cache.get(key) !== undefined) return;
    await this.made(key, question).catch((error: unknown) =>
      this.logger.warn({ err: error, file: question.file.path }, 'a file was not made anew'),
    );
  }

  private remember(question: Question): void {
    if (question === this.newest) return;
    this.newest = question;
    this.recent.delete(question.text); // the map's order is that of last use
    this.recent.set(question.text, question);
    if (this.recent.size > MOST_RECENT) for (const oldest of this.recent.keys()) return void this.recent.delete(oldest);
  }

  private made(key: string, question: Question): Promise<TableBody | LongTable> {
    return shared(this.making, key, () => this.make(question));
  }

  private async make({ file, query, text }: Question): Promise<TableBody | LongTable> {
    const { version, rows } = await this.rows.read(file, query.lists);
    const key = versionKey(version.id, text);
    const body = await tableBody(key, file, query, version, rows);
    if (isLong(body)) this.recent.delete(text);
    else this.cache.set(key, body);
    return body;
  }

  private longVariant(table: LongTable, gzip: boolean): LongVariant {
    return longVariant(table, gzip, () => this.long.read(table));
  }

  private variant(key: string, body: TableBody, gzip: boolean): Variant | Promise<Variant> {
    if (!gzip || !isWorthGzip(body)) return body.plain;
    return body.gzipped ?? shared(this.packing, body.plain.etag, () => this.pack(key, body));
  }

  private async pack(key: string, body: TableBody): Promise<Variant> {
    const both = await withGzip(body);
    if (this.cache.get(key) !== undefined) this.cache.set(key, both);
    return both.gzipped;
  }
}

/** What is being made for one is made for all who ask for it meanwhile. */
function shared<T>(running: Map<string, Promise<T>>, key: string, make: () => Promise<T>): Promise<T> {
  const before = running.get(key);
  if (before !== undefined) return before;
  const making = make().finally(() => running.delete(key));
  running.set(key, making);
  return making;
}
