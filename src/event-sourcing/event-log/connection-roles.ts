/** The last row of the embedded log known to be on the disk. The threads of a service share it. */
export type SyncedRow = BigInt64Array;

/**
 * The role of a connection to the embedded log. That of the thread that answers requests syncs its
 * commits beside the event loop. That of the folding thread makes the checkpoints for it. A
 * connection that is alone does both in its commits.
 */
export type ConnectionRole =
  | { readonly as: 'alone' }
  | { readonly as: 'appender' | 'checkpointer'; readonly synced: SyncedRow };

export interface EmbeddedLogOptions {
  /** Default: alone. */
  readonly role?: ConnectionRole | undefined;
  /** Called when nobody knows whether appends are stored, before their answer. A service ends. */
  readonly onUnsettled?: ((fault: unknown) => void) | undefined;
}

/** Makes the row that the threads of a service share. */
export function createSyncedRow(): SyncedRow {
  return new BigInt64Array(new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT));
}
