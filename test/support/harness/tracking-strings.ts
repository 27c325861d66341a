/** Valid tracking strings, each with its special property. */
export const TRACKING_STRINGS: readonly (readonly [string, string])[] = [
  ['one character', 'x'],
  ['512 ASCII characters', 'x'.repeat(512)],
  ['512 astral code points, 1024 UTF-16 units', '\u{1F511}'.repeat(512)],
  ['512 combining marks', '\u0301'.repeat(512)],
  ['one dot', '.'],
  ['two dots', '..'],
  ['a slash', 'a/b'],
  ['only a slash', '/'],
  ['characters that mean something in a URL', 'a?b=c&d#e%20f+g;h'],
  ['percent-encoding, as text', '%2e%2E'],
  ['quotes and markup', `'"; drop table <b>\\`],
  ['white space within', 'a \t\n\u2003\uFEFFb'],
  ['a zero-width space at the ends, which is no white space', '\u200Ba\u200B'],
  ['a Mongolian vowel separator at the ends, which is none either', '\u180Ea\u180E'],
  ['control characters', '\u0001\u001F\u007F'],
  ['noncharacters', '\uFFFE\uFFFF\u{10FFFF}'],
  ['a right-to-left override', '\u202Eabc'],
  ['the name of a property that every object has', '__proto__'],
  ['another such name', 'constructor'],
  ['the word null', 'null'],
  ['a number, as text', '42'],
];

/**
 * Some values that are no tracking strings, each with its fault. `tracking-string.spec.ts` has all.
 */
export const NO_TRACKING_STRINGS: readonly (readonly [string, string])[] = [
  ['nothing in it', ''],
  ['513 astral code points', '\u{1F511}'.repeat(513)],
  ['NUL within', 'a\0b'],
  ['U+FEFF after it', 'a\uFEFF'],
];
