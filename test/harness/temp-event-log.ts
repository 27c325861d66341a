import { join } from 'node:path';
import { SqliteEventLog } from '../../src/event-log/sqlite/sqlite-event-log.js';
import { makeTempDirectory } from './temp-directory.js';

/** A log in a directory of its own, which goes when the log is closed. */
export function tempEventLog(): SqliteEventLog {
  const directory = makeTempDirectory();
  const log = new SqliteEventLog(join(directory.path, 'events.db'));
  const close = log.close.bind(log);
  log.close = async () => {
    await close();
    directory.remove();
  };
  return log;
}
