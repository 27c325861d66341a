import { expect, it } from '@jest/globals';
import { Calls } from './calls.js';
import { Connection } from './connection.js';
import { TimedOut } from './faults.js';

const limits = { atOnce: 1, attemptMs: 50, deadlineMs: 200 };
const connection = new Connection('esdb://127.0.0.1:1?tls=false');
const lost = Object.assign(new Error('14 UNAVAILABLE: no connection'), { code: 14 });

it('a call in vain tells what the server said last, though attempts after it were cut off', async () => {
  const calls = new Calls(limits, connection, new AbortController().signal);
  let attempts = 0;
  const inVain = calls.run(() => {
    attempts += 1;
    return Promise.reject(attempts === 1 ? lost : new TimedOut(1));
  });
  await expect(inVain).rejects.toMatchObject({ name: 'Unavailable', cause: lost });
  expect(attempts).toBeGreaterThan(1);
});

it('a call that was never answered tells that', async () => {
  const calls = new Calls(limits, connection, new AbortController().signal);
  const inVain = calls.run(() => Promise.reject(new TimedOut(1)));
  await expect(inVain).rejects.toMatchObject({ name: 'Unavailable', cause: { name: 'TimedOut' } });
});
