import { describe, expect, it } from '@jest/globals';
import { keptLabelsIn, matchersIn, selectorsIn, seriesIn } from './promql.js';

describe('the series that an expression reads', () => {
  it.each([
    ['up', ['up']],
    ['absent(up)', ['up']],
    ['up == 0 and on (job, instance) ready', ['up', 'ready']],
    ['sum by (le) (rate(a_bucket{status=~"5..", route="{x}"}[5m])) / 2e3', ['a_bucket']],
    [
      'histogram_quantile(0.9, sum by (le, route) (rate(a_bucket[$__rate_interval])))',
      ['a_bucket'],
    ],
    ['(sum(a{job="b"}) or vector(0)) / sum(a) > 512 * 1024', ['a']],
    ['max without (pod) (a offset 5m) unless b', ['a', 'b']],
  ])('of %s are %j', (expression, series) => {
    expect(seriesIn(expression)).toEqual(series);
  });
});

describe('the labels that an expression asks for', () => {
  it('are those of each series, with their values, patterns left out', () => {
    const found = matchersIn(
      'a{state="stuck", job=~"b.*"} == 1 and sum(c_count{outcome="failed"})',
    );
    expect(found).toEqual([
      { series: 'a', label: 'state', value: 'stuck' },
      { series: 'c_count', label: 'outcome', value: 'failed' },
    ]);
  });
});

it('selectors are found whatever they compare, and what an expression sums or joins by', () => {
  const expression =
    'sum by (le, route) (rate(a_bucket{status=~"5..|x{1}", route!~"/h.*"}[5m])) and on (job) b{c="d"}';
  expect(selectorsIn(expression)).toEqual([
    { series: 'a_bucket', label: 'status' },
    { series: 'a_bucket', label: 'route' },
    { series: 'b', label: 'c' },
  ]);
  expect(keptLabelsIn(expression)).toEqual(['le', 'route', 'job']);
  expect(keptLabelsIn('rate(a[5m])')).toEqual([]);
});
