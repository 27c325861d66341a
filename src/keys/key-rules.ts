import { TEXT } from '../http/field-schemas.js';

/** A `workspace_id` wherever it is given: room for a UUID, and for the word `all`. */
export const WORKSPACE_ID = { max: 64 };
/** The same as a schema says it. */
export const WORKSPACE_ID_SCHEMA = { ...TEXT, maxLength: WORKSPACE_ID.max };
