import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { type Collection, MongoClient } from 'mongodb';
import {
  AFTER_FIRST,
  type Stored,
} from '../../../src/event-sourcing/read-store/mongodb/documents.js';
import { describeOnMongoDb } from '../../support/backends/on-mongodb.js';
import { type CommandLineResult, keyledger } from '../../support/harness/command-line.js';
import { eventually } from '../../support/harness/eventually.js';
import { stateOf } from '../../support/harness/service-state.js';
import { replicasOnServers } from '../../support/harness/replicas-on-servers.js';

const NAME = 'management';

describeOnMongoDb('projections verify on MongoDB', (server) => {
  const servers = replicasOnServers(1, server);
  let byHand: MongoClient;

  beforeEach(async () => {
    byHand = await MongoClient.connect(servers.settings.MONGODB_URI);
  });

  afterEach(async () => {
    await byHand.close();
  });

  function run(...args: string[]): Promise<CommandLineResult> {
    return keyledger(servers.settings, 'projections', ...args);
  }

  async function endUsers(): Promise<Collection<Stored>> {
    const all = await byHand.db().listCollections().toArray();
    const name = all
      .map((one) => one.name)
      .find((one) => /^documents\.management\..*\.end_users\./.test(one));
    return byHand.db().collection<Stored>(name ?? '');
  }

  it('finds every document changed by hand and names it; rebuild mends them beside the service', async () => {
    const { first: service } = servers;
    for (const user of ['ada', 'bob', 'eve']) await service.client.post('/v1/end-users', { user });
    await stateOf(service);
    const right = await service.client.get('/v1/end-users');
    const stored = await endUsers();
    const [ada, bob, eve] = await stored.find(AFTER_FIRST).sort({ _id: 1 }).toArray();
    await stored.updateOne({ _id: ada?._id ?? '' }, { $set: { is_active: false } });
    await stored.deleteOne({ _id: bob?._id ?? '' });
    await stored.insertOne({ ...eve, _id: `${eve?._id}x` });
    const found = await run('verify', NAME, '--json');
    expect(found).toMatchObject({ code: 1, stderr: '' });
    const named = (key: string | undefined, kind: string): object => ({
      collection: 'end_users',
      key,
      kind,
    });
    expect(found.json).toEqual({
      data: [
        {
          name: NAME,
          documents: expect.any(Number),
          differences: [
            named(ada?._id, 'different'),
            named(bob?._id, 'missing'),
            named(`${eve?._id}x`, 'extra'),
          ],
        },
      ],
    });
    expect(await run('rebuild', NAME)).toMatchObject({ code: 0, stderr: '' });
    expect(await run('verify', NAME)).toMatchObject({ code: 0 });
    await eventually('the service answers as before', async () => {
      const { text } = await service.client.get('/v1/end-users');
      return text === right.text;
    });
  });
});
