import { bytesOf, bytesOfTexts } from '../../kernel/text.js';

// Measured with Node 20, and held to by `account-size.spec.ts`: what stands in a map, with its share of the map.
const MEMBER = 240;
const MANAGEMENT_KEY = 270;
const WORKSPACE = 770;
/** The id is the string that the account has for its member. */
const MEMBERSHIP = 220;

/** Bytes of memory that a member takes. */
export function sizeOfMember(userId: string): number {
  return MEMBER + bytesOf(userId);
}

/** Bytes of memory that a management key takes, revoked or not. */
export function sizeOfManagementKey(hash: string): number {
  return MANAGEMENT_KEY + bytesOf(hash);
}

/** Bytes of memory that a workspace takes, without its members. */
export function sizeOfRecord(record: { readonly restrictions: readonly string[] }): number {
  return WORKSPACE + bytesOfTexts(record) + bytesOfTexts(record.restrictions);
}

/** Bytes of memory that so many memberships of a workspace take. */
export function sizeOfMemberships(count: number): number {
  return MEMBERSHIP * count;
}
