import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import { Refusal, Unavailable, Unreadable } from '../../../kernel/errors.js';
import type { ErrorFilter } from './error.filter.js';

const response = { setHeader: () => response, status: () => response, json: () => response };

describe('the log of a service that cannot answer', () => {
  let Filter: typeof ErrorFilter;
  let lines: string[];

  beforeAll(async () => {
    // The cache of the filter takes its clock when it is imported.
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask'] });
    ({ ErrorFilter: Filter } = await import('./error.filter.js'));
    for (const level of ['log', 'warn', 'error'] as const)
      jest.spyOn(Logger.prototype, level).mockImplementation(({ msg }: { msg: string }) => {
        lines.push(`${level} ${msg}`);
      });
  });

  beforeEach(() => {
    jest.clearAllTimers();
    lines = [];
  });

  afterAll(() => {
    jest.restoreAllMocks();
    jest.useRealTimers();
  });

  it.each([
    ['error usage log unavailable', new Unavailable('usage log', 'away')],
    ['error event 7 cannot be read', new Unreadable('event 7 cannot be read')],
    ['warn Too many change the same object at once', new Refusal('too-many-writers')],
  ])('has one line when it begins, and one when it is over: %s', (line, error) => {
    const filter = new Filter();
    const problem = line.slice(line.indexOf(' ') + 1);
    for (let second = 0; second < 60; second++) {
      const request = {};
      filter.catch(error, new ExecutionContextHost([request, response]));
      expect(request).toMatchObject({ logged: { problem } });
      jest.advanceTimersByTime(1_000);
    }
    filter.catch(new Unavailable('read store', 'away'), new ExecutionContextHost([{}, response]));
    expect(lines).toEqual([line, 'error read store unavailable']);
    jest.advanceTimersByTime(9_500);
    expect(lines.slice(2)).toEqual([`log over: ${problem}`]);
  });

  it('has a line for each request that a fault of its own fails', () => {
    const filter = new Filter();
    for (let request = 0; request < 2; request++)
      filter.catch(new Error('a bug'), new ExecutionContextHost([{}, response]));
    expect(lines).toEqual(['error a request failed', 'error a request failed']);
  });
});
