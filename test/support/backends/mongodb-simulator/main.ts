import { MongoDbSimulator } from './mongodb-simulator.js';

const [file = '', port = ''] = process.argv.slice(2);
const simulator = await MongoDbSimulator.open({ port: Number(port), file });
// Commands are noted for tests in the same process alone.
setInterval(() => simulator.seen.splice(0), 1_000).unref();
process.stdin.on('end', () => process.exit()).resume();
