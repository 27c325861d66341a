import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from '@jest/globals';
import { installed } from '../../support/harness/installed.js';
import { onlyWhereInstalled } from '../../support/harness/only-on.js';
import { directoryOfEach } from '../../support/harness/stage.js';
import { readDashboard } from './dashboard.js';

const RULES = resolve('deploy/alerts.yml');
const GOOD = 'keyledger_http_request_duration_seconds_count{status="200", route="/v1/keys"}';
const BAD = GOOD.replace('200', '503');
const FAILED = 'keyledger_append_duration_seconds_count{outcome="failed"}';
const FIRING =
  '{__name__="ALERTS", alertname="KeyledgerAppendFailures", alertstate="firing", severity="critical"}';

/** The values of a series, by the minute, in the notation of promtool. */
type Values = Readonly<Record<string, string>>;

function panel(title: string): string {
  const [target] = readDashboard().panels.find((each) => each.title === title)?.targets ?? [];
  return (target?.expr ?? '').replaceAll('$__rate_interval', '5m').replaceAll('$instance', '.*');
}

onlyWhereInstalled('promtool')('Prometheus', () => {
  const directory = directoryOfEach();

  function promtool(...args: readonly string[]): void {
    const program = installed('promtool') ?? 'promtool';
    const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' });
    expect({ status, output: stdout + stderr }).toEqual({ status: 0, output: expect.any(String) });
  }

  /** Expects one sample of an expression after a quarter of an hour. */
  function expectSample(expr: string, values: Values, value: number, labels = '{}'): void {
    const input_series = Object.entries(values).map(([series, each]) => ({ series, values: each }));
    const promql_expr_test = [{ expr, eval_time: '15m', exp_samples: [{ labels, value }] }];
    const tests = [{ interval: '1m', input_series, promql_expr_test }];
    const file = join(directory.path, 'test.yml');
    // JSON is YAML.
    writeFileSync(file, JSON.stringify({ rule_files: [RULES], tests }));
    promtool('test', 'rules', file);
  }

  it('takes the alerting rules', () => {
    promtool('check', 'rules', RULES);
  });

  it.each<[string, Values, requests: number, errors: number]>([
    ['no request was made', {}, 0, 0],
    ['requests have stopped', { [GOOD]: '9x20' }, 0, 0],
    ['all is well', { [GOOD]: '0+60x20' }, 1, 0],
    ['a quarter fails', { [GOOD]: '0+45x20', [BAD]: '0+15x20' }, 1, 0.25],
  ])(
    'has a number for the first panels of the dashboard where %s',
    (_, values, requests, errors) => {
      expectSample(panel('Requests'), values, requests);
      expectSample(panel('Errors of the service'), values, errors);
    },
  );

  it('alerts of refused changes while the service is ready', () => {
    const values = { keyledger_ready: '1x20', [FAILED]: '0x10 1+1x10' };
    expectSample('ALERTS{alertstate="firing"}', values, 1, FIRING);
  });
});
