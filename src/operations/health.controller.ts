import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { errorBody } from '../http/error-body.js';
import { FAULT_TABLE } from '../http/error-table.js';
import { Readiness } from './readiness.js';

@Controller('health')
@ApiExcludeController()
export class HealthController {
  constructor(@Inject(Readiness) private readonly readiness: Readiness) {}

  @Get('live')
  live(): { status: string } {
    return { status: 'live' };
  }

  @Get('ready')
  async ready(
    @Req() { requestId }: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<object> {
    const missing = await this.readiness.obstacles();
    if (missing.length === 0) return { status: 'ready' };
    response.status(503);
    const told = { reason: 'not-ready', ...FAULT_TABLE['not-ready'] };
    return errorBody(told, { metadata: { missing }, requestId });
  }
}
