/** The header of every read with the log position that the answer reflects at least (docs/api.md 6.3). */
export const LOG_POSITION_HEADER = 'X-Log-Position';
