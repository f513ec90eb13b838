import { Module } from '@nestjs/common';
import { OperationsModule } from '@donorlens/operations';
import { OpsWatch } from './ops-watch';
import { OpsController } from './ops.controller';

/** What operators see and ask for. */
@Module({ imports: [OperationsModule], controllers: [OpsController], providers: [OpsWatch] })
export class OpsModule {}
