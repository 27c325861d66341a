import { fieldRefusal } from '../http/described-refusals.js';

/** The path of a route about one key. */
export const HASH_IN_PATH = { hash: 'Hash of the key.' };

/** The refusal of a `workspace_id` wherever it is given. */
export const WORKSPACE_REFUSAL = fieldRefusal(
  'workspace-unknown',
  'workspace_id',
  'is no workspace of this account',
);
