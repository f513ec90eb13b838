export { AuditEntity } from './audit.entity';
export { AuditRepository } from './audit.repository';
export { copyIn, copyOut } from './copy';
export { dataSourceOptions } from './data-source';
export { DatabaseModule, PG_POOL } from './database.module';
export { type MigrateOptions, type MigrateReport, assertSchemaIsCurrent, migrate, schemaVersion } from './migrate';
export { type Migration, readMigrations } from './migration-files';
export { type PoolOptions, type TransactionOptions, createPool, inTransaction } from './pool';
export { SchemaError } from './schema-error';
