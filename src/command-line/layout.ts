import stringWidth from 'string-width';

/** The maximum width of output for people, in columns of a terminal (docs/api.md 9). */
export const COLUMNS = 100;

const ASCII = /^[ -~]*$/;
const CUT = '…';
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Returns the width of a text, in columns of a terminal. The text must not contain control characters. */
export function widthOf(text: string): number {
  // The library looks at every character of every cell. Most cells are ASCII and do not need that.
  return ASCII.test(text) ? text.length : stringWidth(text);
}

/** Fills a text up to a width with spaces. */
export function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)));
}

/** Cuts a text to a width. A text that was cut ends with an ellipsis, which counts toward the width. */
export function shortened(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  const [kept = ''] = pieces(text, width - widthOf(CUT));
  return kept + CUT;
}

/**
 * Joins parts by `, ` into lines of at most `width`. A part moves to the next line as a whole; only a part that is longer
 * than a line is broken.
 */
export function wrapped(parts: readonly string[], width: number): string[] {
  const lines: string[] = [];
  parts.forEach((part, index) => {
    const text = index < parts.length - 1 ? `${part},` : part;
    const joined = `${lines.at(-1) ?? ''} ${text}`;
    if (lines.length > 0 && widthOf(joined) <= width) lines[lines.length - 1] = joined;
    else lines.push(...pieces(text, width));
  });
  return lines;
}

/** Splits a text into pieces, each at most `width` wide. */
function* pieces(text: string, width: number): Generator<string> {
  let piece = '';
  let taken = 0;
  for (const { segment } of graphemes.segment(text)) {
    const more = widthOf(segment);
    if (taken + more > width) {
      yield piece;
      piece = '';
      taken = 0;
    }
    piece += segment;
    taken += more;
  }
  yield piece;
}
