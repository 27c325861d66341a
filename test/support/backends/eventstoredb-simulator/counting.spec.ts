import { START } from '@eventstore/db-client';
import { expect, it } from '@jest/globals';
import { once } from 'node:events';
import { eventually } from '../../harness/eventually.js';
import { CLASSIC, events, follow, freshStream, take } from './real-client.js';
import { runningServer } from './running-server.js';
import { SimulatorProcess } from './simulator-process.js';

const running = runningServer(() => SimulatorProcess.start());

it('the messages that are sent are counted', async () => {
  await running.client.appendToStream(freshStream(), events(10), CLASSIC);
  const before = await running.server.counts();
  await take(running.client.readAll({ fromPosition: START, maxCount: 4 }));
  const after = await running.server.counts();
  expect(after.messages - before.messages).toBe(4);
});

it('calls are counted as open until they end or are cancelled', async () => {
  const stream = freshStream();
  await running.client.appendToStream(stream, events(1), CLASSIC);
  const subscription = follow(running.client, stream);
  await once(subscription, 'confirmation');
  await running.server.inject({ on: 'read', times: 1, effect: 'hang' });
  const hanging = running.client.readStream(stream).resume();
  const isOpen = async (reads: number, subscriptions: number): Promise<boolean> => {
    const { openReads, openSubscriptions } = await running.server.counts();
    return openReads === reads && openSubscriptions === subscriptions;
  };
  await eventually('both calls are open', () => isOpen(1, 1));
  await take(running.client.readStream(stream));
  await eventually('the complete read is over', () => isOpen(1, 1));
  await hanging.cancel();
  await subscription.unsubscribe();
  await eventually('both calls are over', () => isOpen(0, 0));
});
