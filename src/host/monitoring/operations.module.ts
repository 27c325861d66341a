import { type DynamicModule, Module } from '@nestjs/common';
import { HealthController } from './health.controller.js';
import { Metrics } from './metrics.js';
import { MetricsController } from './metrics.controller.js';
import { Readiness } from './readiness.js';

/** The health and the metrics of the service. */
@Module({ providers: [Metrics, Readiness], exports: [Metrics, Readiness] })
export class OperationsModule {
  /** @param hasPort whether operators have a TCP port of their own. If so, the port of the API serves no metrics. */
  static register(hasPort: boolean): DynamicModule {
    const controllers = hasPort ? [HealthController] : [HealthController, MetricsController];
    return { module: OperationsModule, controllers };
  }
}
