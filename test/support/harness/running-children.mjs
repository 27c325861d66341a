import { ChildProcess } from 'node:child_process';
import process from 'node:process';

const running = new Set();
const { spawn } = ChildProcess.prototype;

// Every function of node:child_process that does not wait for its child begins it by this method.
ChildProcess.prototype.spawn = function (...args) {
  const result = spawn.apply(this, args);
  running.add(this);
  this.once('exit', () => running.delete(this));
  this.once('error', () => running.delete(this));
  return result;
};
process.once('exit', endRunning);

/**
 * Kills the children that run, and those that they lead. @returns how each that nobody had ended
 * was started
 */
export function endRunning() {
  const left = [...running].filter(({ exitCode, signalCode, killed }) => {
    return exitCode === null && signalCode === null && !killed;
  });
  for (const child of running) kill(child);
  running.clear();
  return left.map(({ spawnargs }) => spawnargs.join(' '));
}

function kill(child) {
  child.kill('SIGKILL');
  try {
    // The leader of a group, which was started `detached`, ends with all of its group.
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // It leads none.
  }
}
