import { PostgresConnection, PostgresQueueBackend, assertSchemaCompatibility, type BackendFactory } from 'bullmq';

type Connection = ConstructorParameters<typeof PostgresConnection>[0];

/** BullMQ remembers a failed first look at the schema for ever; this asks again, so a database that was away is no end. */
class HealingConnection extends PostgresConnection {
  private checked: Promise<void> | undefined;

  override waitUntilReady(): Promise<void> {
    this.checked ??= this.check().catch((error: unknown) => {
      this.checked = undefined;
      throw error;
    });
    return this.checked;
  }

  private async check(): Promise<void> {
    await assertSchemaCompatibility(this.pool, this.schema);
    setImmediate(() => this.emit('ready'));
  }
}

/** BullMQ's Postgres backend on a connection that recovers. Names the listening connection as BullMQ's own factory does. */
export const healingPostgresBackend: BackendFactory<PostgresQueueBackend, Connection> = (name, opts, kind = {}) =>
  new PostgresQueueBackend(
    new HealingConnection(opts.connection),
    name,
    opts,
    true,
    kind.withBlockingConnection ? name : undefined,
  );
