import { Controller, Get, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Admits } from '../../edge/http/callers/key.guard.js';
import type { Request, Response } from 'express';
import { notReady } from './not-ready.js';
import { Readiness } from './readiness.js';

@Controller('health')
@ApiExcludeController()
@Admits('everybody')
export class HealthController {
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
