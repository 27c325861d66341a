import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { pino } from 'pino';
import { stopOnSignal } from './stop-on-signal.js';

describe('a signal before there is anything to stop', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'ends the process by %s, be it one that no unhandled signal ends',
    (name) => {
      const handlers = new Map<string | symbol, (signal: string) => void>();
      jest.spyOn(process, 'on').mockImplementation((event, handler) => {
        handlers.set(event, handler as (signal: string) => void);
        return process;
      });
      const exit = jest.spyOn(process, 'exit').mockImplementation(() => {
        throw new Error('the process would end here');
      });
      stopOnSignal(pino({ level: 'silent' }), 2_000);
      expect(() => handlers.get(name)?.(name)).toThrow('the process would end here');
      expect(exit).toHaveBeenCalledWith(0);
    },
  );
});
