export { type RowCounts, writeBackup } from './backup/backup';
export { RestoreError, restoreBackup } from './backup/restore';
export { sqlIsOlder, sqlIsOver } from './clock-sql';
export {
  INSTALLATION_MESSAGES,
  type InstallationState,
  SQL_CONFIRM_INSTALLATION,
  SQL_INSTALLATION_STATE,
  installationState,
} from './installation';
export { recordAudit } from './audit.repository';
export { copyIn, copyOut } from './copy';
export { DatabaseModule, PG_POOL, StartChecks } from './database.module';
export { DURABLE_COMMIT, STANDBY_MESSAGE, durabilityWarnings, isStandby } from './durability';
export {
  type MigrateOptions,
  type MigrateReport,
  assertSchemaIsCurrent,
  migrate,
  schemaVersion,
} from './migrations/migrate';
export { type Migration, readMigrations } from './migrations/migration-files';
export { type PoolOptions, type TransactionOptions, createPool, inTransaction, isTransientDatabaseError } from './pool';
export { SchemaError } from './migrations/schema-error';
export { RetentionClock, SQL_RETENTION_NOW, SQL_RETENTION_START } from './retention-clock';
export {
  type Fence,
  LEASE_SECONDS,
  LeaseRepository,
  SQL_LEASE_OVER,
  StaleFenceError,
  holdLease,
} from './lease.repository';
