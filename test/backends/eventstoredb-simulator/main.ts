import { Database } from './database.js';
import { type Fault, Faults } from './faults.js';
import type { SimulatorOptions } from './options.js';
import { serve } from './server.js';

/** What a test asks of the process; each order is answered with its own number once it is done. */
export type Order = { readonly order: number } & (
  { readonly inject: Fault } | { readonly heal: true }
);

const [path = '', port = '', told = '{}'] = process.argv.slice(2);
const options = JSON.parse(told) as SimulatorOptions;
const faults = new Faults();

process.on('message', (order: Order) => {
  if ('inject' in order) faults.inject(order.inject);
  else faults.heal();
  process.send?.({ done: order.order });
});
process.on('disconnect', () => process.exit());

const server = await serve(Database.open(path, options), faults, Number(port));
process.on('SIGTERM', () => {
  server.forceShutdown();
  process.removeAllListeners('disconnect');
  if (process.connected) process.disconnect();
});
process.send?.({ ready: true });
