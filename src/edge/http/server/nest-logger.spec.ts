import { Writable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { NestLogger } from './nest-logger.js';

describe('the log lines of Nest', () => {
  it('are debug where Nest reports the steps of its start or what ends it, and info where the service says something', () => {
    const lines: unknown[] = [];
    const stream = new Writable({
      write(line: Buffer, _encoding, done) {
        const { level, msg, context } = JSON.parse(line.toString()) as Record<string, unknown>;
        lines.push([level, msg, context]);
        done();
      },
    });
    const logger = new NestLogger(pino({ level: 'trace' }, stream));
    logger.log('Mapped a route', 'Routes');
    logger.log({ msg: 'a projection goes on' }, 'projections');
    logger.warn({ msg: 'a part is away' }, 'readiness');
    logger.error({ msg: 'a projection is stuck' }, 'projections');
    logger.error(new Error('cannot start'), 'ExceptionHandler');
    expect(lines).toEqual([
      [20, 'Mapped a route', 'Routes'],
      [30, 'a projection goes on', 'projections'],
      [40, 'a part is away', 'readiness'],
      [50, 'a projection is stuck', 'projections'],
      [20, 'cannot start', 'ExceptionHandler'],
    ]);
  });
});
