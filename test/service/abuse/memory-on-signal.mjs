import { writeSync } from 'node:fs';
import process from 'node:process';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

// An attacked service loads this module with `--import`. On SIGUSR2 it reports the memory in use
// after a garbage collection.
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');

process.on('SIGUSR2', () => {
  collect();
  const { heapUsed, external, rss } = process.memoryUsage();
  writeSync(1, `${JSON.stringify({ memory: { heapUsed, external, rss } })}\n`);
});
