import { fieldRefusal } from '../http/described-refusals.js';

/** Describes the path parameter of routes about one key. */
export const HASH_IN_PATH = { hash: 'Hash of the key.' };

/** Describes the refusal of an unknown `workspace_id`. */
export const WORKSPACE_REFUSAL = fieldRefusal(
  'workspace-unknown',
  'workspace_id',
  'is no workspace of this account',
);
