import { type DynamicModule, Global, Module } from '@nestjs/common';
import { type Logger } from './logger';

/** Injection token of the process's logger. */
export const LOGGER = Symbol('logger');

@Global()
@Module({})
export class ObservabilityModule {
  static with(logger: Logger): DynamicModule {
    return { module: ObservabilityModule, providers: [{ provide: LOGGER, useValue: logger }], exports: [LOGGER] };
  }
}
