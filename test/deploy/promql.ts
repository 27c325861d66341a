const OPERATORS = new Set(['and', 'or', 'unless', 'bool', 'offset']);

/** The names of the series that an expression of PromQL reads. */
export function seriesIn(expression: string): string[] {
  const bare = expression
    .replace(/"(?:[^"\\]|\\.)*"/g, '')
    .replace(/\{[^}]*\}/g, '')
    .replace(/\[[^\]]*\]/g, '')
    .replace(/\b(?:by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)/g, ' ');
  const names = bare.matchAll(/(?<![\w.])[a-zA-Z_:][\w:]*(?![\w:]|\s*\()/g);
  return [...new Set([...names].map(([name]) => name))].filter((name) => !OPERATORS.has(name));
}
