import { Module } from '@nestjs/common';
import { ProcessBeat } from './process-beat';
import { WorkCounter } from './work-counter';

/** A module of its own: Nest ends it after the app's own module, and before the database's. */
@Module({ providers: [ProcessBeat, WorkCounter], exports: [ProcessBeat, WorkCounter] })
export class BeatsModule {}
