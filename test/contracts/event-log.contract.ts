import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { appendingContract } from './event-log-appending.contract.js';
import { readingContract } from './event-log-reading.contract.js';
import { event, freshStream, type OpenedLog } from './opened-log.js';

/** What every event log guarantees, the dangerous parts first. */
export function eventLogContract(name: string, open: () => Promise<OpenedLog>): void {
  describe(`${name} as an event log`, () => {
    let opened: OpenedLog;

    beforeEach(async () => {
      opened = await open();
    });

    afterEach(async () => {
      await opened.dispose();
    });

    appendingContract(() => opened);
    readingContract(() => opened);

    it('has its head where the last append ended', async () => {
      const { position } = await opened.log.append(freshStream(), [event(), event()], 'no-stream');
      expect(await opened.log.head()).toBe(position);
    });

    it('still has everything after it was opened anew', async () => {
      const name = freshStream();
      const { position } = await opened.log.append(name, [event()], 'no-stream');
      const before = await opened.log.readStream(name);
      await opened.reopen();
      expect(await opened.log.readStream(name)).toEqual(before);
      expect(await opened.log.head()).toBe(position);
    });
  });
}
