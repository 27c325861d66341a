import { createServer } from 'node:http';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { INestApplication } from '@nestjs/common';
import { pino } from 'pino';
import { stopOnSignal } from './stop-on-signal.js';

const logger = pino({ level: 'silent' });
let handlers: Map<string | symbol, (signal: string) => void>;

beforeEach(() => {
  handlers = new Map();
  jest.spyOn(process, 'on').mockImplementation((event, handler) => {
    handlers.set(event, handler as (signal: string) => void);
    return process;
  });
});

afterEach(() => {
  jest.restoreAllMocks();
  jest.useRealTimers();
});

describe('a signal before there is anything to stop', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    'ends the process by %s, be it one that no unhandled signal ends',
    (name) => {
      const exit = jest.spyOn(process, 'exit').mockImplementation(() => {
        throw new Error('the process would end here');
      });
      stopOnSignal(logger, 2_000);
      expect(() => handlers.get(name)?.(name)).toThrow('the process would end here');
      expect(exit).toHaveBeenCalledWith(0);
    },
  );
});

describe('a signal to a service that cannot be closed', () => {
  function begin(stopping: ReturnType<typeof stopOnSignal>): void {
    const server = createServer();
    const app: Partial<INestApplication> = {
      getHttpServer: () => server,
      close: () => new Promise(() => undefined),
    };
    const nothing = (): void => undefined;
    stopping.begin(app as INestApplication, nothing, nothing);
  }

  it.each(['SIGTERM', 'SIGINT'] as const)('by %s ends it after 20 s', async (name) => {
    const exit = jest.spyOn(process, 'exit').mockReturnValue(undefined as never);
    jest.useFakeTimers();
    begin(stopOnSignal(logger, 0));
    handlers.get(name)?.(name);
    await jest.advanceTimersByTimeAsync(19_999);
    expect(exit).not.toHaveBeenCalled();
    await jest.advanceTimersByTimeAsync(1);
    expect(exit).toHaveBeenCalledWith(1);
  });
});
