import { expect, it } from '@jest/globals';
import { eventually } from '../../../test/support/harness/eventually.js';
import { tallies } from '../../../test/support/specs/tally.js';
import { DamagedNamespaceError } from '../read-store/read-store.js';
import { SqliteReadStore } from '../read-store/sqlite/sqlite-read-store.js';
import { Generations } from './generations.js';
import { LedProjections } from './led-projections.js';
import { feedLease } from './names.js';
import { Projector } from './projector.js';

it('leaves a generation that is damaged while it is filled to the sweep', async () => {
  const store = new SqliteReadStore(':memory:');
  const generations = new Generations(store, feedLease([tallies]));
  const filling = await generations.fill(tallies);
  await filling.namespace.write('', '1', async () => []);
  const ledProjections = new LedProjections([tallies], generations, () => undefined);
  const [led] = ledProjections.all;
  if (!led) throw new Error('no projection is led');
  const projector = new Projector(tallies, filling.generation, filling.namespace);
  led.behind = { projector, filling };
  const damage = new DamagedNamespaceError(filling.name, new Error('not a database'));
  expect(await ledProjections.attempt(led, () => Promise.reject(damage))).toBe(false);
  expect(led.behind).toBeUndefined();
  await filling.namespace.close();
  await eventually('the damaged generation is swept', async () => {
    const { entries } = await generations.catalog();
    await generations.sweepFillings(tallies, entries, await store.namespaces());
    return (await store.namespaces()).every(({ name }) => name !== filling.name);
  });
  await store.close();
});
