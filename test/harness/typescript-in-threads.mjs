import { register } from 'node:module';
import { isMainThread } from 'node:worker_threads';

// Imported into Jest's processes by `--import`, which threads inherit: Jest compiles what a test imports, and nothing of
// what a thread that the service starts does.
if (!isMainThread) register('./typescript-hooks.mjs', import.meta.url);
