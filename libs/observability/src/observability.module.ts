import { type DynamicModule, Global, Module, type OnApplicationShutdown } from '@nestjs/common';
import { type Logger } from './logger';
import { endTracing } from './tracing';

/** Injection token of the process's logger. */
export const LOGGER = Symbol('logger');

@Global()
@Module({})
export class ObservabilityModule implements OnApplicationShutdown {
  static forRoot(logger: Logger): DynamicModule {
    return { module: ObservabilityModule, providers: [{ provide: LOGGER, useValue: logger }], exports: [LOGGER] };
  }

  onApplicationShutdown(): Promise<void> {
    return endTracing();
  }
}
