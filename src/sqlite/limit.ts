/**
 * A LIMIT with a parameter. SQLite prepares a statement anew for each value of a parameter that stands alone after LIMIT,
 * which takes longer than to find a page. With a sign before the parameter it does not.
 */
export const UP_TO = 'LIMIT +?';
