import { writeSync } from 'node:fs';
import process from 'node:process';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

// Loaded into a service that is attacked (`--import`): tells on SIGUSR2 what memory it holds once garbage is collected.
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');

process.on('SIGUSR2', () => {
  collect();
  const { heapUsed, external, rss } = process.memoryUsage();
  writeSync(1, `${JSON.stringify({ memory: { heapUsed, external, rss } })}\n`);
});
