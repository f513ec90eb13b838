import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { ChartVersionWatch } from '@donorlens/charts';
import { LOGGER, type Logger } from '@donorlens/observability';
import { BodyCache } from './body-cache';
import { published, publishedOrNull } from './published';
import { type Question, versionKey } from './question';
import { isWorthGzip, type TableBody, tableBody, type Variant, withGzip } from './table-body';
import { TableRows } from './table-rows';

const MOST_BYTES = 128 * 1024 * 1024;
/** Questions that are answered again by themselves when a version has moved. */
const MOST_RECENT = 64;
const LOOK_EVERY_MS = 1_000;

/**
 * Files as they leave, made once per version and question. A file that is kept costs no query; two who ask for the same
 * one share its making. After a version has moved, what was asked last is made anew before somebody has to wait for it.
 */
@Injectable()
export class TableBodies implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly cache = new BodyCache<TableBody>(MOST_BYTES);
  private readonly making = new Map<string, Promise<TableBody>>();
  private readonly recent = new Map<string, Question>();
  private timer: NodeJS.Timeout | undefined;
  private newest: Question | undefined;
  private filledFor = '';

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
  find(question: Question, gzip: boolean): Variant | Promise<Variant> {
    this.remember(question);
    const key = question.keyIn(published(this.watch, question.file.madeFrom).id);
    const body = this.cache.get(key);
    if (body === undefined) return this.made(key, question).then((made) => this.variant(key, made, gzip));
    return this.variant(key, body, gzip);
  }

  /** Makes what was asked last for versions that are new. */
  async refill(): Promise<void> {
    const versions = this.watch.current();
    const current = [publishedOrNull(versions, 'charts')?.id, publishedOrNull(versions, 'masters')?.id];
    const state = current.join();
    if (state === this.filledFor) return;
    this.filledFor = state;
    for (const question of [...this.recent.values()].reverse()) {
      const id = publishedOrNull(this.watch.current(), question.file.madeFrom)?.id;
      if (id === undefined) continue;
      const key = question.keyIn(id);
      if (this.cache.get(key) === undefined)
        await this.made(key, question).catch((error: unknown) =>
          this.logger.warn({ err: error, file: question.file.path }, 'a file was not made anew'),
        );
    }
    this.cache.keep((key) => current.some((id) => id !== undefined && key.startsWith(versionKey(id, ''))));
  }

  private remember(question: Question): void {
    if (question === this.newest) return;
    this.newest = question;
    this.recent.delete(question.text); // the map's order is that of last use
    this.recent.set(question.text, question);
    if (this.recent.size > MOST_RECENT) for (const oldest of this.recent.keys()) return void this.recent.delete(oldest);
  }

  private made(key: string, question: Question): Promise<TableBody> {
    const running = this.making.get(key);
    if (running !== undefined) return running;
    const making = this.make(question).finally(() => this.making.delete(key));
    this.making.set(key, making);
    return making;
  }

  private async make({ file, query, text }: Question): Promise<TableBody> {
    const { version, rows } = await this.rows.read(file, query.lists);
    const body = await tableBody(file, query, version, rows);
    this.cache.set(versionKey(version.id, text), body);
    return body;
  }

  private variant(key: string, body: TableBody, gzip: boolean): Variant | Promise<Variant> {
    if (!gzip || !isWorthGzip(body)) return body.plain;
    if (body.gzipped !== undefined) return body.gzipped;
    return withGzip(body).then((both) => {
      if (this.cache.get(key) !== undefined) this.cache.set(key, both);
      return both.gzipped;
    });
  }
}
