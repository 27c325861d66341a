/** The part that copies the write-ahead log into the database: the commits of the connection, or another thread. */
export type Checkpoints = 'by-commits' | 'by-thread';
