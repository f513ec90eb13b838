import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** Changes of keys and moves of the active release, by an operator or the leader. Never a name, an address or a key. */
@Entity('audit')
export class AuditEntity {
  @PrimaryGeneratedColumn({ type: 'bigint' })
  id: string;

  @Column({ type: 'timestamptz', default: () => 'now()' })
  at: Date;

  @Column({ type: 'text' })
  actor: string;

  @Column({ type: 'text' })
  action: string;

  @Column({ type: 'jsonb', nullable: true })
  detail: Readonly<Record<string, unknown>> | null;
}
