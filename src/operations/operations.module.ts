import { type DynamicModule, Module } from '@nestjs/common';
import { HealthController } from './health.controller.js';
import { Metrics } from './metrics.js';
import { MetricsController } from './metrics.controller.js';
import { Readiness } from './readiness.js';

/** What an operator sees of the service. */
@Module({ providers: [Metrics, Readiness], exports: [Metrics, Readiness] })
export class OperationsModule {
  /** @param hasPort whether operators ask at a port of their own, so that the metrics are not on the API's. */
  static register(hasPort: boolean): DynamicModule {
    const controllers = hasPort ? [HealthController] : [HealthController, MetricsController];
    return { module: OperationsModule, controllers };
  }
}
