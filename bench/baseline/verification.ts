import type { Key } from '../../src/features/keys/domain/key.js';
import type { Verification } from '../../src/features/verification/verification.fields.js';
import { Verifier } from '../../src/features/verification/verifier.js';

const ID = '00000000-0000-4000-8000-000000000000';
const KEY: Key = {
  hash: 'f'.repeat(64),
  account_id: ID,
  workspace_id: ID,
  name: 'key 100000',
  creator_user_id: 'user-ada',
  disabled: false,
  limit: 25,
  limit_reset: 'monthly',
  include_byok_in_limit: false,
  expires_at: '2100-01-01T00:00:00.000Z',
  external_user: 'customer-100000',
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: null,
};

/** The paths of the routes that decide nothing, in the process of the service. */
export const NOTHING_DECIDED = {
  verify: '/bench/keys/verify',
  authorize: '/v1/Authorize',
} as const;

/** Lets each request pass without a look-up. */
export class DecidesNothing extends Verifier {
  override async verify(): Promise<Verification> {
    return { code: 'VALID', key: KEY, spent: 0n, limits: [], at: new Date() };
  }
}
