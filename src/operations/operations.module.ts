import { Module } from '@nestjs/common';
import { HealthController } from './health.controller.js';
import { Metrics } from './metrics.js';
import { MetricsController } from './metrics.controller.js';
import { Readiness } from './readiness.js';

/** What an operator sees of the service. */
@Module({
  controllers: [HealthController, MetricsController],
  providers: [Metrics, Readiness],
  exports: [Metrics, Readiness],
})
export class OperationsModule {}
