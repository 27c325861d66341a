import {
  Controller,
  type DynamicModule,
  Get,
  Inject,
  type InjectionToken,
  Module,
  Req,
  Res,
} from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { errorBody } from '../../edge/http/answers/error-body.js';
import { FAULT_TABLE } from '../../edge/http/answers/error-table.js';
import { Admits } from '../../edge/http/callers/key.guard.js';
import { type Side, SIDES } from '../../event-sourcing/side.js';
import { Metrics } from './metrics.js';
import { Readiness } from './readiness.js';

/** The token of whether `/health/ready` says the causes, which only operators may see. */
const SAYS_CAUSES = Symbol('SaysCauses');

@Controller('health')
@ApiExcludeController()
@Admits('everybody')
class HealthController {
  constructor(
    private readonly readiness: Readiness,
    @Inject(SAYS_CAUSES) private readonly saysCauses: boolean,
  ) {}

  @Get('live')
  live(): { status: string } {
    return { status: 'live' };
  }

  @Get('ready')
  async ready(
    @Req() { requestId }: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<object> {
    const obstacles = await this.readiness.obstacles();
    if (obstacles.length === 0) return this.readiness.ready();
    response.status(503);
    const missing = obstacles.map(({ part, problem, detail }) => ({
      part,
      problem: this.saysCauses ? detail : problem,
    }));
    const answer = { reason: 'not-ready', ...FAULT_TABLE['not-ready'] };
    return errorBody(answer, { metadata: { missing }, requestId });
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
@Module({})
export class OperationsModule {
  /**
   * @param hasPort whether operators have a TCP port of their own. If so, the port of the API serves no metrics.
   * @param sides the names under which the sides are injected.
   */
  static register(hasPort: boolean, sides: readonly InjectionToken[]): DynamicModule {
    return {
      module: OperationsModule,
      controllers: hasPort ? [HealthController] : [HealthController, MetricsController],
      providers: [
        Metrics,
        Readiness,
        { provide: SAYS_CAUSES, useValue: false },
        { provide: SIDES, inject: [...sides], useFactory: (...all: Side[]) => all },
      ],
      exports: [Metrics, Readiness, SIDES],
    };
  }

  /** The same routes for the port of the operators, about the parts of the service. */
  static apart(parts: { readonly readiness: Readiness; readonly metrics: Metrics }): DynamicModule {
    return {
      module: OperationsModule,
      controllers: [HealthController, MetricsController],
      providers: [
        { provide: Readiness, useValue: parts.readiness },
        { provide: Metrics, useValue: parts.metrics },
        { provide: SAYS_CAUSES, useValue: true },
      ],
    };
  }
}
