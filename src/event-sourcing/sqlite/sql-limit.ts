/**
 * A LIMIT clause with a parameter. Without the plus sign, SQLite would prepare the statement anew
 * for each value of the parameter, which takes longer than finding a page.
 */
export const SQL_LIMIT = 'LIMIT +?';
