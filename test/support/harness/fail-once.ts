import { jest } from '@jest/globals';
import { CommandBus } from '@nestjs/cqrs';
import { ReadModel } from '../../../src/event-sourcing/projections/read-model.js';
import { Verifier } from '../../../src/features/verification/verifier.js';
import type { RunningApp } from './running-app.js';

/** Lets the next request of a route meet a fault in place of what the route asks or commands. */
export function failOnce({ app }: RunningApp, method: string, path: string, fault: unknown): void {
  if (path.startsWith('/v1/authorize')) {
    jest.spyOn(app.get(Verifier), 'verify').mockRejectedValueOnce(fault);
  } else if (method === 'GET') {
    jest.spyOn(ReadModel.prototype, 'read').mockRejectedValueOnce(fault);
  } else {
    jest.spyOn(app.get(CommandBus), 'execute').mockRejectedValueOnce(fault);
  }
}
