/** Every character of Unicode White_Space, and U+FEFF. */
export const WHITE_SPACE: readonly string[] = [
  ...['\t', '\n', '\v', '\f', '\r', ' ', '\u0085', '\u00A0', '\u1680'],
  ...['\u2000', '\u2001', '\u2002', '\u2003', '\u2004', '\u2005', '\u2006', '\u2007'],
  ...['\u2008', '\u2009', '\u200A', '\u2028', '\u2029', '\u202F', '\u205F', '\u3000', '\uFEFF'],
];

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

/** Values that are no tracking strings, each with its fault. */
export const NO_TRACKING_STRINGS: readonly (readonly [string, unknown])[] = [
  ['nothing in it', ''],
  ['513 ASCII characters', 'x'.repeat(513)],
  ['513 astral code points', '\u{1F511}'.repeat(513)],
  ['NUL alone', '\0'],
  ['NUL within', 'a\0b'],
  ['NUL at the end', 'ab\0'],
  ...WHITE_SPACE.flatMap((space): (readonly [string, string])[] => {
    const name = `U+${space.charCodeAt(0).toString(16).padStart(4, '0')}`;
    return [
      [`only ${name}`, space],
      [`${name} before it`, `${space}a`],
      [`${name} after it`, `a${space}`],
    ];
  }),
];
