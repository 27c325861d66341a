/**
 * How a connection to the log leaves the write-ahead log: it takes it over into the database by itself, or it `appends` while
 * another thread does that.
 */
export type Role = 'by-itself' | 'appends';
