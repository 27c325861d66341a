/** What copies the write-ahead log of a connection into the database: its own commits, or another thread. */
export type Checkpoints = 'by-commits' | 'by-thread';
