import { KeyHash, Text } from '../../../edge/http/fields/field-decorators.js';
import { AbsentableFields } from '../../../edge/http/fields/mapped-fields.js';
import { Refusal } from '../../../kernel/errors.js';
import { Whole } from '../../../edge/http/fields/whole-shape.js';
import { WORKSPACE_ID } from '../key.fields.js';
import { hashOfKeyString } from '../../../kernel/key-string.js';

export const ONE_OF_BOTH = 'must be given, or hash in its place, and not both';

class VerificationFields {
  @Text('The key string; it is neither stored nor logged. Either this or `hash` is given.')
  readonly key: string = '';

  @KeyHash('SHA-256 of the key string in hex, in place of the key string.')
  readonly hash: string = '';

  @Text('Workspace that the key must be in; any workspace if absent.', WORKSPACE_ID)
  readonly workspace_id: string = '';
}

/** The question whether one key may be used (docs/api.md 12.2). It names the key by the key string or by the hash. */
@Whole({ additionalProperties: false })
export class VerifyKeyRequest extends AbsentableFields(VerificationFields, [
  'key',
  'hash',
  'workspace_id',
]) {}

/**
 * Returns the hash of the key that a question names; null for a malformed key string.
 * @throws Refusal unless the question has exactly one of the key string and the hash.
 */
export function hashOfNamed({ key, hash }: VerifyKeyRequest): string | null {
  if (key != null && hash == null) return hashOfKeyString(key);
  if (key == null && hash != null) return hash.toLowerCase();
  throw new Refusal('request-invalid', { issues: [{ path: 'key', message: ONE_OF_BOTH }] });
}
