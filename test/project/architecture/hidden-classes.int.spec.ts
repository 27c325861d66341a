import { setFlagsFromString } from 'node:v8';
import { runInThisContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import type { EndUserEvent } from '../../../src/features/end-users/domain/end-user.events.js';
import { endUserDirectory } from '../../../src/features/end-users/end-user-directory/end-user-directory.projection.js';
import { DecisionRunner } from '../../../src/event-sourcing/decisions/decision-runner.js';
import { EventRegistry } from '../../../src/event-sourcing/event-log/event-registry.js';
import { SqliteEventLog } from '../../../src/event-sourcing/event-log/sqlite/sqlite-event-log.js';
import type { DomainEvent, Happened } from '../../../src/kernel/event.js';
import { keyDirectory } from '../../../src/features/keys/key-directory/key-directory.projection.js';
import { fold } from '../../../src/event-sourcing/projections/fold.js';
import type { Projection } from '../../../src/event-sourcing/projections/projection.js';
import { keyCreated } from '../../support/histories/keys.js';
import { DocumentTable, recordedInOrder } from '../../support/specs/document-table.js';
import { sum, tally, tallied } from '../../support/specs/tally.js';

setFlagsFromString('--allow-natives-syntax');
const haveSameMap = runInThisContext('(a, b) => %HaveSameMap(a, b)') as (
  a: object,
  b: object,
) => boolean;
// V8 compiles the function at its first call.
haveSameMap({}, {});
setFlagsFromString('--no-allow-natives-syntax');

const MANY = 60;
/** V8 needs some objects first. */
const FEW = 5;

function hiddenClassesOf(objects: readonly object[]): number {
  const firsts: object[] = [];
  for (const object of objects) {
    if (!firsts.some((first) => haveSameMap(first, object))) firsts.push(object);
  }
  return firsts.length;
}

const numbers = Array.from({ length: MANY }, (_, number) => number);

const registered = (number: number): EndUserEvent => ({
  type: 'EndUserRegistered',
  data: { organization_id: 'organization-1', user: `user-${number}` },
});

/**
 * A literal that spreads an object before its own fields gets a new hidden class each time. This
 * took a fifth of the processor time of a replay. So new fields stand before the spread.
 */
describe('what there is one of for each event has the same hidden class', () => {
  async function documentsOf<Event extends DomainEvent>(
    projection: Projection<Event>,
    collection: string,
    events: readonly Event[],
  ): Promise<object[]> {
    const writes = await fold(projection, recordedInOrder(events), new DocumentTable());
    return writes.flatMap((write) =>
      write.collection === collection && write.document ? [write.document] : [],
    );
  }

  it('in the directory of end users', async () => {
    const documents = await documentsOf(endUserDirectory, 'end_users', numbers.map(registered));
    expect(documents).toHaveLength(MANY);
    expect(hiddenClassesOf(documents)).toBeLessThan(FEW);
  });

  it('in the directory of keys', async () => {
    const created = numbers.map((number) => keyCreated({ hash: `hash-${number}` }));
    const documents = await documentsOf(keyDirectory, 'keys', created);
    expect(documents).toHaveLength(MANY);
    expect(hiddenClassesOf(documents)).toBeLessThan(FEW);
  });

  it('where it is decided', async () => {
    const log = new SqliteEventLog(':memory:');
    const clock = { now: () => new Date(0) };
    const runner = new DecisionRunner(log, new EventRegistry([tallied]), clock);
    const happened: Happened<DomainEvent>[] = [];
    const aggregate: typeof sum = {
      ...sum,
      evolve: (state, event) => {
        happened.push(event);
        return sum.evolve(state, event);
      },
    };
    const actor = { type: 'operator', id: 'test', user_id: null } as const;
    for (const number of numbers) {
      await runner.run({
        aggregate,
        id: String(number),
        accountId: 'account-1',
        origin: { actor, requestId: null },
        decide: () => [tally('a')],
      });
    }
    await log.close();
    expect(happened).toHaveLength(MANY);
    expect(hiddenClassesOf(happened)).toBeLessThan(FEW);
  });
});
