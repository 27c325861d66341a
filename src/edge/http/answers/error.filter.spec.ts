import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import { Denied, Refusal, Unavailable, Unreadable } from '../../../kernel/errors.js';
import type { ErrorFilter } from './error.filter.js';

const same = () => response;
const response = { emit: same, setHeader: same, status: same, json: same };

describe('the log of a service that cannot answer', () => {
  let filter: ErrorFilter;
  let lines: string[];

  /** Lets a request fail. @returns the fields of its line that say so. */
  function fail(error: unknown): object | undefined {
    const request: { logged?: object } = {};
    filter.catch(error, new ExecutionContextHost([request, response]));
    return request.logged;
  }

  beforeAll(async () => {
    // The cache of the filter takes its clock when it is imported.
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask'] });
    filter = new (await import('./error.filter.js')).ErrorFilter();
    for (const level of ['log', 'warn', 'error'] as const)
      jest.spyOn(Logger.prototype, level).mockImplementation(({ msg }: { msg: string }) => {
        lines.push(`${level} ${msg}`);
      });
  });

  beforeEach(() => {
    jest.runAllTimers();
    lines = [];
  });

  afterAll(() => {
    jest.restoreAllMocks();
    jest.useRealTimers();
  });

  it.each([
    ['error usage log unavailable', new Unavailable('usage log', 'away')],
    ['error event 7 cannot be read', new Unreadable('event 7 cannot be read')],
    ['warn Too many requests change the same object at once', new Refusal('too-many-writers')],
  ])('has one line when it begins, and one when it is over: %s', (line, error) => {
    const problem = line.slice(line.indexOf(' ') + 1);
    for (let second = 0; second < 60; second++) {
      expect(fail(error)).toEqual({ problem });
      jest.advanceTimersByTime(1_000);
    }
    fail(new Unavailable('read store', 'away'));
    expect(lines).toEqual([line, 'error read store unavailable']);
    jest.advanceTimersByTime(9_500);
    expect(lines.slice(2)).toEqual([`log no request failed for 10 s: ${problem}`]);
  });

  it('has a line for each thing that is denied, and for each request that a fault of its own fails', () => {
    for (const what of ['append', 'read $all', 'append']) fail(new Denied('event log', what, null));
    expect(lines.splice(0)).toEqual(['error event log unavailable', 'error event log unavailable']);
    for (let request = 0; request < 2; request++) expect(fail(new Error('a bug'))).toBeUndefined();
    expect(lines).toEqual(['error a request failed', 'error a request failed']);
  });
});
