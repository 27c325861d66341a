import type { OperatorSession } from '../../command-line/operator-session.js';

/** The API keys that a user made, for commands about a member who leaves. The keys feature has them. */
export interface KeysOfUser {
  /** Counts the keys that the user made in an account and that are not disabled. */
  countLive(session: OperatorSession, accountId: string, userId: string): Promise<number>;

  /**
   * Disables these keys. It may be cut off and run again.
   * @returns how many it has disabled.
   */
  disableLive(session: OperatorSession, accountId: string, userId: string): Promise<number>;
}
