import { Column, Entity, PrimaryColumn } from 'typeorm';

const toNumber = {
  from: (value: string | null) => (value === null ? null : Number(value)),
  to: (value: number | null) => value,
};

@Entity('api_key')
export class ApiKeyEntity {
  @PrimaryColumn({ type: 'uuid' })
  id: string;

  @Column({ type: 'text' })
  name: string;

  @Column({ type: 'text', unique: true })
  prefix: string;

  @Column({ name: 'secret_hash', type: 'bytea', unique: true })
  secretHash: Buffer;

  @Column({ type: 'text', array: true })
  scopes: string[];

  @Column({ name: 'requests_per_minute', type: 'int', nullable: true })
  requestsPerMinute: number | null;

  @Column({ name: 'batch_rows_per_day', type: 'bigint', nullable: true, transformer: toNumber })
  batchRowsPerDay: number | null;

  @Column({ name: 'created_at', type: 'timestamptz', default: () => 'now()' })
  createdAt: Date;

  @Column({ name: 'expires_at', type: 'timestamptz', nullable: true })
  expiresAt: Date | null;

  @Column({ name: 'revoked_at', type: 'timestamptz', nullable: true })
  revokedAt: Date | null;

  @Column({ name: 'last_used_at', type: 'timestamptz', nullable: true })
  lastUsedAt: Date | null;

  @Column({ name: 'previous_prefix', type: 'text', nullable: true, unique: true })
  previousPrefix: string | null;

  @Column({ name: 'previous_hash', type: 'bytea', nullable: true })
  previousHash: Buffer | null;

  @Column({ name: 'previous_until', type: 'timestamptz', nullable: true })
  previousUntil: Date | null;
}
