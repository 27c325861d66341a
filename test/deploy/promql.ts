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

/** That a series has a label with a certain value. */
export interface Matcher {
  readonly series: string;
  readonly label: string;
  readonly value: string;
}

/** What an expression of PromQL asks for exactly; patterns, as in `status=~"5.."`, are left out. */
export function matchersIn(expression: string): Matcher[] {
  return comparisonsIn(expression)
    .filter(({ operator }) => operator === '=')
    .map(({ series, label, value }) => ({ series, label, value }));
}

/** The labels by which an expression of PromQL selects series, exactly or by a pattern. */
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

/** The labels that are left of what an expression of PromQL sums or joins; none where it does neither. */
export function keptLabelsIn(expression: string): string[] {
  const lists = expression.matchAll(/\b(?:by|on)\s*\(([^)]*)\)/g);
  return [...lists].flatMap(([, labels = '']) => labels.split(/\s*,\s*/));
}
