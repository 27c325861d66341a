import { bytesOf, bytesOfTexts } from '../../kernel/text.js';

// The memory that one entry of a map takes, in bytes, with its share of the map itself, as measured with Node 20
// (`account-size.spec.ts`).
const MEMBER = 240;
const MANAGEMENT_KEY = 270;
const WORKSPACE = 770;
/** The memory that a membership takes, in bytes, without the user id, because `members` already hold that string. */
const MEMBERSHIP = 220;

/** Estimates the memory that a member takes, in bytes. */
export function sizeOfMember(userId: string): number {
  return MEMBER + bytesOf(userId);
}

/** Estimates the memory that a management key takes, revoked or not, in bytes. */
export function sizeOfManagementKey(hash: string): number {
  return MANAGEMENT_KEY + bytesOf(hash);
}

/** Estimates the memory that a workspace takes without its members, in bytes. */
export function sizeOfRecord(record: { readonly restrictions: readonly string[] }): number {
  return WORKSPACE + bytesOfTexts(record) + bytesOfTexts(record.restrictions);
}

/** Estimates the memory that a number of memberships takes, in bytes. */
export function sizeOfMemberships(count: number): number {
  return MEMBERSHIP * count;
}
