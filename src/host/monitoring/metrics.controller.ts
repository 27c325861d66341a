import { Controller, Get, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Admits } from '../../edge/http/callers/key.guard.js';
import type { Response } from 'express';
import { Metrics } from './metrics.js';

@Controller('metrics')
@ApiExcludeController()
@Admits('everybody')
export class MetricsController {
  constructor(private readonly metrics: Metrics) {}

  @Get()
  async scrape(@Res() response: Response): Promise<void> {
    const text = await this.metrics.text();
    response.setHeader('Content-Type', this.metrics.contentType);
    response.send(text);
  }
}
