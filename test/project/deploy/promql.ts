const OPERATORS = new Set(['and', 'or', 'unless', 'bool', 'offset']);

/** Gives the names of the series that a PromQL expression reads. */
export function seriesIn(expression: string): string[] {
  const bare = expression
    .replace(/"(?:[^"\\]|\\.)*"/g, '')
    .replace(/\{[^}]*\}/g, '')
    .replace(/\[[^\]]*\]/g, '')
    .replace(/\b(?:by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)/g, ' ');
  const names = bare.matchAll(/(?<![\w.])[a-zA-Z_:][\w:]*(?![\w:]|\s*\()/g);
  return [...new Set([...names].map(([name]) => name))].filter((name) => !OPERATORS.has(name));
}

/** A condition: a series has a label with a certain value. */
export interface Matcher {
  readonly series: string;
  readonly label: string;
  readonly value: string;
}

/**
 * Gives the exact conditions of a PromQL expression. Patterns, as in `status=~"5.."`, are left out.
 */
export function matchersIn(expression: string): Matcher[] {
  return comparisonsIn(expression)
    .filter(({ operator }) => operator === '=')
    .map(({ series, label, value }) => ({ series, label, value }));
}

/** Gives the labels by which a PromQL expression selects series, by value or by pattern. */
export function selectorsIn(expression: string): { series: string; label: string }[] {
  return comparisonsIn(expression).map(({ series, label }) => ({ series, label }));
}

function comparisonsIn(expression: string): (Matcher & { readonly operator: string })[] {
  const selectors = expression.matchAll(/([a-zA-Z_:][\w:]*)\{((?:"[^"]*"|[^}"])*)\}/g);
  return [...selectors].flatMap(([, series = '', matchers = '']) =>
    [...matchers.matchAll(/(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"/g)].map(
      ([, label = '', operator = '', value = '']) => ({ series, label, operator, value }),
    ),
  );
}

/**
 * Gives the labels that remain after the sums and joins of a PromQL expression; none without a sum
 * or join.
 */
export function keptLabelsIn(expression: string): string[] {
  const lists = expression.matchAll(/\b(?:by|on)\s*\(([^)]*)\)/g);
  return [...lists].flatMap(([, labels = '']) => labels.split(/\s*,\s*/));
}
