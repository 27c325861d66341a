/**
 * What a connection to the log does: all there is to do; or appends, while one in another thread follows what it appends
 * and takes the write-ahead log over for it.
 */
export type Role = 'appends-and-follows' | 'appends' | 'follows';
