/** The number of the last row of the embedded log that is known to be on the disk. The threads of a service share it. */
export type SyncedRow = BigInt64Array;

/**
 * How a connection to the embedded log works together with others. That of the thread that answers syncs its commits
 * beside the event loop; that of the folding thread checkpoints for it. A connection that is alone does both in commits.
 */
export type Sharing =
  | { readonly as: 'alone' }
  | { readonly as: 'appender' | 'checkpointer'; readonly synced: SyncedRow };

export interface EmbeddedLogOptions {
  /** Default: alone. */
  readonly sharing?: Sharing | undefined;
  /** Called when it is unknown whether appends are stored, before they are answered. A service ends then. */
  readonly onUnsettled?: ((fault: unknown) => void) | undefined;
}

/** Makes the row that the threads of a service share. */
export function sharedSyncedRow(): SyncedRow {
  return new BigInt64Array(new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT));
}
