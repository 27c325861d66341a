import { expect, it } from '@jest/globals';
import { CLASSIC, event, freshStream } from './real-client.js';
import { runningServer } from './running-server.js';
import { SimulatorProcess } from './simulator-process.js';

const AT_ONCE = 32;
const APPENDS = 1_600;
/** Appends per second of a real server with this many at once. A machine under load does fewer. */
const MOST = 2_200;
/** The tolerance for clocks. */
const ROOM = 1.05;

const running = runningServer(() => SimulatorProcess.start({ pace: 'real' }));

it('a simulator at the pace of a server makes no more appends', async () => {
  const append = () => running.client.appendToStream(freshStream(), event(), CLASSIC);
  await append();
  const began = performance.now();
  let left = APPENDS;
  const writer = async (): Promise<void> => {
    while (left-- > 0) await append();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, writer));
  const rate = APPENDS / ((performance.now() - began) / 1_000);
  expect(rate).toBeLessThan(MOST * ROOM);
});
