import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AuditEntity } from './audit.entity';

@Injectable()
export class AuditRepository {
  constructor(private readonly dataSource: DataSource) {}

  async record(actor: string, action: string, detail: Readonly<Record<string, unknown>> | null = null): Promise<void> {
    await this.dataSource.getRepository(AuditEntity).save({ actor, action, detail }, { reload: false });
  }

  /** Newest first. */
  latest(limit = 50): Promise<AuditEntity[]> {
    return this.dataSource.getRepository(AuditEntity).find({ order: { id: 'DESC' }, take: limit });
  }
}
