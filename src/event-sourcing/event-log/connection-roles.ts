/** The last row of the embedded log known to be on the disk. The threads of a service share it. */
export type SyncedRow = BigInt64Array;

/**
 * How a connection to the embedded log works with others. The answering thread's syncs its commits
 * beside the event loop, the folding thread's checkpoints for it. One alone does both in commits.
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
