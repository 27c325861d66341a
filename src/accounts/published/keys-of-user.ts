import type { OperatorSession } from '../../command-line/operator-session.js';

/** What the command that removes a member does with the API keys of the user. The keys feature implements it. */
export interface KeysOfUser {
  /** Counts the keys that the user made in an account and that are not disabled. */
  countLive(session: OperatorSession, accountId: string, userId: string): Promise<number>;

  /**
   * Disables the keys that `countLive` counts. A call that was interrupted may be repeated.
   * @returns the number of keys that this call disabled.
   */
  disableLive(session: OperatorSession, accountId: string, userId: string): Promise<number>;
}
