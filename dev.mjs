import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import ts from 'typescript';

// Runs for `npm run dev`: tsc compiles after each change, and the service restarts after each compilation without
// errors.
const PROGRAM = 'dist/modules/main.js';

/** @type {import('node:child_process').ChildProcess | undefined} */
let service;
/** Restarts take turns, because a data directory has one service at a time. */
let restarted = Promise.resolve();

const host = ts.createWatchCompilerHost(
  'tsconfig.build.json',
  { preserveWatchOutput: true },
  ts.sys,
  ts.createEmitAndSemanticDiagnosticsBuilderProgram,
  undefined,
  (diagnostic, _newLine, _options, errors) => {
    tell(ts.flattenDiagnosticMessageText(diagnostic.messageText, '\n'));
    if (errors === 0) restarted = restarted.then(restart);
  },
);
const watch = ts.createWatchProgram(host);
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void stop(signal));

async function restart() {
  await end();
  service = spawn(process.execPath, ['--enable-source-maps', PROGRAM], { stdio: 'inherit' });
}

/** @param {string} signal */
async function stop(signal) {
  watch.close();
  await restarted;
  // A terminal sends SIGINT to the service too. A second signal would end the service at once.
  await end(signal === 'SIGTERM');
  process.exit();
}

async function end(isToldToStop = true) {
  if (!service || service.exitCode !== null || service.signalCode !== null) return;
  const ended = once(service, 'exit');
  if (isToldToStop) service.kill('SIGTERM');
  await ended;
}

/** @param {string} line */
function tell(line) {
  process.stderr.write(`${line}\n`);
}
