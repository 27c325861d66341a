import Database from 'better-sqlite3';
import { createHash, randomUUID } from 'node:crypto';
import { keyStream } from '../../src/features/keys/domain/key.js';
import { embeddedLogFile } from '../../src/event-sourcing/event-log/embedded-event-log.js';
import { EventRegistry } from '../../src/event-sourcing/event-log/event-registry.js';
import { EVENTS } from '../support/declared.js';
import { keyCreated } from '../support/histories/keys.js';

/** Writes keys of an account straight into the file of a log that no service uses, all at once. */
export function writeKeys(
  dataDir: string,
  of: { readonly account_id: string; readonly workspace_id: string },
  count: number,
): void {
  const registry = new EventRegistry(EVENTS);
  const metadata = JSON.stringify({
    occurred_at: new Date().toISOString(),
    actor: { type: 'management-key', id: 'f'.repeat(64), user_id: 'ada' },
    account_id: of.account_id,
    request_id: null,
    correlation_id: randomUUID(),
    causation_id: randomUUID(),
  });
  const db = new Database(embeddedLogFile(dataDir));
  db.pragma('synchronous = OFF');
  const insert = db.prepare(
    'INSERT INTO events (stream, revision, id, type, version, data, metadata) VALUES (?, 0, ?, ?, ?, ?, ?)',
  );
  db.transaction(() => {
    for (let index = 0; index < count; index += 1) {
      const hash = createHash('sha256').update(String(index)).digest('hex');
      const created = keyCreated({ ...of, hash, name: `checkout-batch-${index}`, limit: 25 });
      const { type, version, data } = registry.encode(created);
      insert.run(keyStream(hash), randomUUID(), type, version, JSON.stringify(data), metadata);
    }
  })();
  db.close();
}
