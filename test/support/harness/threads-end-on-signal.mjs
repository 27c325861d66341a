import process from 'node:process';

// A service loads this module with `--import`. On SIGUSR2 all its threads end.
const threads = [];
process.on('worker', (thread) => threads.push(thread));
process.on('SIGUSR2', () => {
  for (const thread of threads) void thread.terminate();
});
