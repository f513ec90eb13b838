import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ApiKeyEntity } from './api-key.entity';
import { KeyRing } from './key-ring';
import { KeyRepository } from './key.repository';

@Module({
  imports: [TypeOrmModule.forFeature([ApiKeyEntity])],
  providers: [KeyRepository, KeyRing],
  exports: [KeyRepository, KeyRing],
})
export class AccessKeysModule {}
