import 'reflect-metadata';
import { run } from './host/assembly/cli-run.js';

// Files hold personal data and hashes of keys, so only their owner may read them.
process.umask(0o077);
// The failed write reports the error.
process.stdout.on('error', () => undefined);
process.exitCode = await run(process.argv.slice(2));
