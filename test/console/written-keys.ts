import { createHash, randomUUID } from 'node:crypto';
import { keyStream } from '../../src/features/keys/domain/key.js';
import { openEmbeddedLog } from '../../src/event-sourcing/event-log/embedded-event-log.js';
import { EventRegistry } from '../../src/event-sourcing/event-log/event-registry.js';
import { EVENTS } from '../support/declared.js';
import { keyCreated } from '../support/histories/keys.js';

const AT_ONCE = 2_000;

/** Writes keys of an account to an embedded log that no service uses. */
export async function writeKeys(
  dataDir: string,
  of: { readonly account_id: string; readonly workspace_id: string },
  count: number,
): Promise<void> {
  const registry = new EventRegistry(EVENTS);
  const log = openEmbeddedLog(dataDir);
  const metadata = {
    occurred_at: new Date().toISOString(),
    actor: { type: 'management-key' as const, id: 'f'.repeat(64), user_id: 'ada' },
    account_id: of.account_id,
    request_id: null,
    correlation_id: randomUUID(),
    causation_id: randomUUID(),
  };
  const write = (index: number) => {
    const hash = createHash('sha256').update(String(index)).digest('hex');
    const event = keyCreated({ ...of, hash, name: `checkout-batch-${index}`, limit: 25 });
    const stored = { id: randomUUID(), ...registry.encode(event), metadata };
    return log.append(keyStream(hash), [stored], 'no-stream');
  };
  for (let first = 0; first < count; first += AT_ONCE) {
    const length = Math.min(AT_ONCE, count - first);
    await Promise.all(Array.from({ length }, (_, index) => write(first + index)));
  }
  await log.close();
}
