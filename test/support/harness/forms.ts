/** The form of a time in answers. */
export const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
export const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A well-formed hash that belongs to no key. */
export const UNKNOWN_HASH = 'ab'.repeat(32);

/** Texts that do not decode in a path or a query. */
export const BROKEN_ENCODINGS = [
  ...['%', '%2', '%4', 'a%', '%%41', '%ZZ'],
  ...['%FF', '%C0%AF', 'a%C0%AFb', '%ED%A0%80', '%F4%90%80%80'],
];
