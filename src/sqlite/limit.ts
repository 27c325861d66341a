/**
 * The clause that takes the greatest number of rows as a parameter. SQLite prepares a statement anew for each value of a
 * parameter that stands behind LIMIT alone, which takes longer than to find a page; behind a sign it looks at none.
 */
export const UP_TO = 'LIMIT +?';
