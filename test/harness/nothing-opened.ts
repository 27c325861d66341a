import type { Opened } from '../../src/commands.js';

const nothing = () => Promise.reject(new Error('nothing is opened here'));

/** Opens nothing, for a program that runs no command in a session. */
export const NOTHING_OPENED: Opened = {
  prepared: nothing,
  withMaintenance: nothing,
  folded: nothing,
};
