import { Controller, type DynamicModule, Get, Module, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Admits } from '../../edge/http/callers/key.guard.js';
import { Metrics } from './metrics.js';
import { notReady, Readiness } from './readiness.js';

@Controller('health')
@ApiExcludeController()
@Admits('everybody')
class HealthController {
  constructor(private readonly readiness: Readiness) {}

  @Get('live')
  live(): { status: string } {
    return { status: 'live' };
  }

  @Get('ready')
  async ready(
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<object> {
    const obstacles = await this.readiness.obstacles();
    if (obstacles.length === 0) return this.readiness.ready();
    request.isProbe = true;
    response.status(503);
    return notReady(
      obstacles.map(({ part, problem }) => ({ part, problem })),
      request.requestId,
    );
  }
}

@Controller('metrics')
@ApiExcludeController()
@Admits('everybody')
class MetricsController {
  constructor(private readonly metrics: Metrics) {}

  @Get()
  async scrape(@Res() response: Response): Promise<void> {
    const text = await this.metrics.text();
    response.setHeader('Content-Type', this.metrics.contentType);
    response.send(text);
  }
}

/** The health and the metrics of the service. */
@Module({ providers: [Metrics, Readiness], exports: [Metrics, Readiness] })
export class OperationsModule {
  /** @param hasPort whether operators have a TCP port of their own. If so, the port of the API serves no metrics. */
  static register(hasPort: boolean): DynamicModule {
    const controllers = hasPort ? [HealthController] : [HealthController, MetricsController];
    return { module: OperationsModule, controllers };
  }
}
