import { KeyHash, Text } from '../../http/field-decorators.js';
import { AbsentableFields } from '../../http/mapped-fields.js';
import type { Issue } from '../../http/shape.pipe.js';
import { Whole } from '../../http/whole-shape.js';
import { WORKSPACE_ID } from '../key.fields.js';
import type { PresentedKey } from './verify-key.lookup.js';

class VerificationFields {
  @Text('The key string. It is neither stored nor logged.')
  readonly key: string = '';

  @KeyHash('SHA-256 of the key string in hex, in place of the key string.')
  readonly hash: string = '';

  @Text('Workspace that the key must be in; any workspace if absent.', WORKSPACE_ID)
  readonly workspace_id: string = '';
}

/** The question whether one key may be used (docs/api.md 12.2). It names the key by the key string or by the hash. */
@Whole({
  additionalProperties: false,
  oneOf: ['key', 'hash'].map((field) => ({
    required: [field],
    properties: { [field]: { type: 'string', description: 'Names the key.' } },
  })),
})
export class VerifyKeyRequest extends AbsentableFields(VerificationFields, [
  'key',
  'hash',
  'workspace_id',
]) {}

/** Returns an issue for a question that has neither a key string nor a hash, or has both; else no issue. */
export function issuesOfPresented({ key, hash }: VerifyKeyRequest): Issue[] {
  if ((key == null) !== (hash == null)) return [];
  return [{ path: 'key', message: 'must be given, or hash in its place, and not both' }];
}

/** Returns the key that a question names. The question must have no issues. */
export function presentedKey({ key, hash }: VerifyKeyRequest): PresentedKey {
  return hash == null ? { key: key ?? '' } : { hash: hash.toLowerCase() };
}
