import { Database } from './database.js';
import { Faults } from './faults.js';
import type { View } from './membership.js';
import type { SimulatorOptions } from './options.js';
import type { Order } from './orders.js';
import { HOST, serve } from './server.js';

const [path = '', port = '', told = '{}'] = process.argv.slice(2);
const options = JSON.parse(told) as SimulatorOptions;
const faults = new Faults();
const database = Database.open(path, options);
let view: View = { members: [Number(port)], leader: Number(port) };

process.on('message', (order: Order) => {
  if ('inject' in order) faults.inject(order.inject);
  else if ('heal' in order) faults.heal();
  else if ('join' in order) join(order.join);
  process.send?.({ done: order.order, counts: database.counter.counts });
});
process.on('disconnect', () => process.exit());

/** A member that was frozen learns here that it is no longer the leader, as from gossip. */
const LOOK_EVERY_MS = 200;
setInterval(() => database.requireLead(), LOOK_EVERY_MS).unref();

function join(now: View): void {
  database.requireLead();
  view = now;
  faults.heal();
  if (now.leader === Number(port)) {
    database.takeUp();
    return;
  }
  for (const on of ['append', 'read', 'subscribe'] as const) {
    faults.inject({ on, effect: 'not-leader', host: HOST, port: now.leader });
  }
}

const server = await serve(database, faults, Number(port), () => view);
process.on('SIGTERM', () => {
  server.forceShutdown();
  process.removeAllListeners('disconnect');
  if (process.connected) process.disconnect();
});
process.send?.({ ready: true });
