import { bytesOf, bytesOfTexts } from '../../kernel/text.js';

// Bytes of an entry of a map with its share of the map, measured with Node 20. `account-size.spec.ts` checks them.
const MEMBER = 240;
const MANAGEMENT_KEY = 270;
const WORKSPACE = 770;
/** A membership shares the string of its user id with the members of the account. */
const MEMBERSHIP = 220;

/** Bytes of memory of a member. */
export function sizeOfMember(userId: string): number {
  return MEMBER + bytesOf(userId);
}

/** Bytes of memory of a management key, revoked or not. */
export function sizeOfManagementKey(hash: string): number {
  return MANAGEMENT_KEY + bytesOf(hash);
}

/** Bytes of memory of a workspace without its members. */
export function sizeOfRecord(record: { readonly restrictions: readonly string[] }): number {
  return WORKSPACE + bytesOfTexts(record) + bytesOfTexts(record.restrictions);
}

/** Bytes of memory of the memberships of a workspace. */
export function sizeOfMemberships(count: number): number {
  return MEMBERSHIP * count;
}
