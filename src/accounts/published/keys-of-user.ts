import type { OperatorSession } from '../../command-line/operator-session.js';

/** The operations on API keys that the command to remove a member needs. The keys feature implements them. */
export interface KeysOfUser {
  /** Counts the keys that the user made in an account and that are not disabled. */
  countLive(session: OperatorSession, accountId: string, userId: string): Promise<number>;

  /**
   * Disables all live keys that the user made in an account. A call that was interrupted may be repeated.
   * @returns the number of keys that this call disabled.
   */
  disableLive(session: OperatorSession, accountId: string, userId: string): Promise<number>;
}
