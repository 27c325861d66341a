import type { ServerResponse } from 'node:http';
import type { WhilePresent } from '../../../event-sourcing/waiting/presence.js';
import { Refusal } from '../../../kernel/errors.js';

/** Calls a listener when a response is closed. One that is closed emits no further event. */
export function onceClosed(response: ServerResponse, listener: () => void): void {
  if (response.destroyed) listener();
  else response.once('close', listener);
}

/**
 * Returns how to wait for work while the caller does. Work that waits for a turn gets none once the
 * caller has left, and work that has begun keeps nothing of the request in memory.
 */
export function whilePresent(response: ServerResponse): WhilePresent {
  return async (work) => {
    const presence = { hasLeft: false };
    let leave = (): void => undefined;
    const left = new Promise<never>((_, reject) => {
      leave = () => {
        presence.hasLeft = true;
        reject(new Refusal('too-many-writers'));
      };
    });
    onceClosed(response, leave);
    try {
      return await Promise.race([work(presence), left]);
    } finally {
      response.off('close', leave);
    }
  };
}
