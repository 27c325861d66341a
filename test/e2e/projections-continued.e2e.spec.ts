import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { PROJECTIONS } from '../../src/events-and-projections.js';
import { Maintenance } from '../../src/projections/maintenance.js';
import { Projections } from '../../src/projections/projections.js';
import { type Backends, freshBackends } from '../harness/backends.js';
import { eventually } from '../harness/eventually.js';
import { HttpClient } from '../harness/http-client.js';
import { type StartedApp, startApp } from '../harness/running-app.js';
import { WatchedAnswers } from '../harness/watched-answers.js';

const USERS = 300;
const RELEASES = 2;
/** Of writing and reading, when everything has gone over. */
const ROUNDS_AFTERWARDS = 5;
const A_RELEASE_MS = 30_000;

/** As a later release has them: each in a higher version that continues the one before. */
function released(release: number) {
  return PROJECTIONS.map((projection) => {
    const version = projection.version + release;
    return { ...projection, version, continuesFrom: version - 1 };
  });
}

describe('a release that continues what the one before left', () => {
  let backends: Backends;
  let service: StartedApp;
  let managementKey: string;

  beforeEach(async () => {
    backends = await freshBackends();
    service = await startApp({}, { backends });
    ({ managementKey } = service);
  });

  afterEach(async () => {
    await service.stop();
    await backends.dispose();
  });

  const versions = (): number[] =>
    service.app.get(Projections).all.map(({ model }) => model.version);

  const versionsOf = (release: number): number[] => released(release).map(({ version }) => version);

  it(
    'is ready at once and rebuilds while it answers: none is wrong, older than one before, or refused',
    async () => {
      const users = Array.from({ length: USERS }, (_, number) => `user-${number}`);
      await Promise.all(users.map((user) => service.client.post('/v1/end-users', { user })));
      for (let release = 1; release <= RELEASES; release++) {
        await service.stop();
        service = await startApp({}, { backends, projections: released(release) });
        const client = new HttpClient(service.address, managementKey);
        const watched = new WatchedAnswers(client);
        const readiness: number[] = [];
        const going = (): boolean =>
          versions().join() !== versionsOf(release).join() || watched.rounds === 0;
        const asking = async (): Promise<void> => {
          while (going()) readiness.push((await client.get('/health/ready')).status);
        };
        await Promise.all([watched.watch(going), asking()]);
        const afterwards = watched.rounds + ROUNDS_AFTERWARDS;
        await watched.watch(() => watched.rounds < afterwards);
        expect(watched.faults).toEqual([]);
        expect(new Set(readiness)).toEqual(new Set([200]));
        for (const { name, continuesFrom } of released(release)) {
          const told = `projection ${name} is being rebuilt; what version ${continuesFrom} left serves on`;
          expect(service.logLines.filter((line) => line.includes(told))).toHaveLength(1);
        }
      }
      const maintenance = service.app.get(Maintenance);
      for (const name of maintenance.names) {
        await eventually(`${name} is up to date`, async () => {
          const { state, lag } = await maintenance.status(name);
          return state === 'live' && lag === 0;
        });
        expect(await maintenance.verify(name)).toMatchObject({ differences: [] });
      }
      expect(service.logLines.filter((line) => /"level":[56]0/.test(line))).toEqual([]);
    },
    (RELEASES + 1) * A_RELEASE_MS,
  );
});
