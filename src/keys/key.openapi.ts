import { fieldRefusal } from '../http/described-refusals.js';

/** The description of the path parameter in routes for one key. */
export const HASH_IN_PATH = { hash: 'Hash of the key.' };

/** The description of the refusal of an unknown `workspace_id`. */
export const WORKSPACE_REFUSAL = fieldRefusal(
  'workspace-unknown',
  'workspace_id',
  'is no workspace of this account',
);
