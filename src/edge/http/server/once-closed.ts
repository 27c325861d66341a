import type { ServerResponse } from 'node:http';

/** Calls a listener when a response is closed. One that is closed emits no further event. */
export function onceClosed(response: ServerResponse, listener: () => void): void {
  if (response.destroyed) listener();
  else response.once('close', listener);
}
