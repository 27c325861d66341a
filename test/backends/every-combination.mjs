// Runs the suites of test/e2e on every combination of backends. On the embedded backends a separate thread folds, as in
// the released service; `npm test` runs them with one thread. Arguments replace the folder and are passed on to Jest.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { createInterface } from 'node:readline';

/** Event log, read store, and the thread that folds, if it is not the thread of the service. */
const COMBINATIONS = [
  ['eventstoredb', 'mongodb'],
  ['eventstoredb', 'sqlite'],
  ['sqlite', 'mongodb'],
  ['sqlite', 'sqlite', 'thread'],
];
const JEST = ['--experimental-vm-modules', '--no-warnings', 'node_modules/jest/bin/jest.js'];
// The servers share the processor, and FerretDB uses no index. So tests have twice the time of `npm test`.
const OPTIONS = ['--testTimeout=60000', '--maxWorkers=2'];

const GIVEN = process.argv.slice(2);
const SUITES = GIVEN.length > 0 ? GIVEN : ['test/e2e/'];

/** The lines of Jest that the report at the end repeats: its totals, and each suite that did not run. */
const ABOUT_TESTS = /^(Test Suites|Tests|NOT RUN)\b/;

async function run(eventLog, readStore, projector = '') {
  const begun = performance.now();
  const jest = spawn(process.execPath, [...JEST, ...OPTIONS, ...SUITES], {
    env: {
      ...process.env,
      TEST_EVENT_LOG: eventLog,
      TEST_READ_STORE: readStore,
      TEST_PROJECTOR: projector,
    },
    stdio: ['ignore', 'inherit', 'pipe'],
  });
  const ended = once(jest, 'exit');
  const told = [];
  for await (const line of createInterface({ input: jest.stderr })) {
    process.stderr.write(`${line}\n`);
    if (ABOUT_TESTS.test(line)) told.push(`  ${line}`);
  }
  const [code] = await ended;
  const seconds = Math.round((performance.now() - begun) / 1_000);
  const layout = `${eventLog} with ${readStore}${projector && ` and a ${projector}`}`;
  const title = `${layout}: ${code === 0 ? 'passed' : 'FAILED'} in ${seconds} s`;
  return { passed: code === 0, report: [title, ...told].join('\n') };
}

const runs = [];
for (const combination of COMBINATIONS) runs.push(await run(...combination));
process.stdout.write(`\n${runs.map(({ report }) => report).join('\n\n')}\n`);
if (!runs.every(({ passed }) => passed)) process.exitCode = 1;
