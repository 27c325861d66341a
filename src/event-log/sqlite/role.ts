/**
 * How a connection to the log shares its work with another: not at all; or it appends, while one in another thread follows
 * what it appends and takes the write-ahead log over for it.
 */
export type Role = 'by-itself' | 'appends' | 'follows';
