/**
 * Words that this project does not use in what people read, each with what stands for it: words
 * with a private sense, and words that a reader has to read twice. Words are patterns without
 * regard to case; a space is any white space, also a line break.
 */
const PLAIN: readonly (readonly [words: string, instead: string])[] = [
  ['read sides?', 'read models'],
  ['(?:re|un)?fold(?:s|ed|ing)?', 'apply, update or build'],
  ['park(?:s|ed|ing)?', 'stopped; `parked` only for the field'],
  ['heads?', 'end of the event log'],
  ['the logs?(?! (?:output|lines?|levels?|servers?))', 'the event log, or the log output'],
  ['(?:looks?|looked|looking)(?! up)', 'check, find or seem'],
  ['stale', 'out of date'],
  ['hears?|heard|hearing', 'receive or be notified'],
  ['tells?|told|telling', 'say, report or notify'],
  ['news', 'reports, or the state'],
  ['ow(?:es?|ed|ing)', 'must still do'],
  ['hand(?:s|ed|ing)? out', 'give or issue'],
  ['stands?(?! for)|stood', 'be'],
  ['anew|afresh', 'again, or from the start'],
  ['go(?:es|ne|ing)? on|went on', 'continue'],
  ['br(?:eaks?|oke|oken) off', 'interrupt'],
  ['pass(?:es|ed|ing)? over', 'skip'],
  ['mend(?:s|ed|ing)?|cure[sd]?', 'repair'],
  ['tak(?:e|es|en|ing) back|took back', 'reverse, or remove'],
  ['for good', 'permanently'],
  ['tracking strings?', 'tracking ID'],
  ['external users?', 'end user'],
  ['questions?(?! marks?)', 'request, or verification'],
  ['whoever', 'anyone who'],
  ['(?<!there )(?:is|are|was|were) no (?!longer)', 'is not a'],
];

const PATTERNS = PLAIN.map(([words, instead]) => [pattern(words), instead] as const);

function pattern(words: string): RegExp {
  const spaced = words.replaceAll(' ', '\\s+');
  return new RegExp(`(?<![\\w-])(?:${spaced})(?![\\w-])`, 'gi');
}

/** Finds what a text should say in other words, with the line of each place in the text. */
export function unplainWords(text: string): { line: number; word: string; instead: string }[] {
  return PATTERNS.flatMap(([words, instead]) =>
    [...text.matchAll(words)].map(({ index, 0: word }) => ({
      line: text.slice(0, index).split('\n').length,
      word: word.replaceAll(/\s+/g, ' '),
      instead,
    })),
  );
}

/** Blocks of code, names in backquotes, targets of links and comments of Markdown. */
const CODE = /^( *)```[^]*?^\1```$|`[^`]*`|\]\([^)]*\)|<!--[^]*?-->/gm;

/** Returns a document without what is no prose. Each line stays where it is. */
export function proseOf(document: string): string {
  return document.replaceAll(CODE, (code) => code.replaceAll(/[^\n]/g, ' '));
}
