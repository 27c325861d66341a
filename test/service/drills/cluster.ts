import { MongoClient } from 'mongodb';
import { mintKeyString } from '../../../src/kernel/key-string.js';
import { startEventStoreDb } from '../../support/backends/start-eventstoredb.js';
import type { EventStoreDbServer } from '../../support/backends/eventstoredb-server.js';
import { startMongoDb } from '../../support/backends/start-mongodb.js';
import { freePort, type ServerProcess } from '../../support/backends/server-process.js';
import { LoopbackProxy } from '../../support/backends/loopback-proxy.js';
import { Replica } from './replica.js';

const REPLICAS = 3;

/** The settings with which a process joins the cluster. */
export type ClusterSettings = Readonly<
  Record<
    'EVENTSTOREDB_CONNECTION_STRING' | 'MONGODB_URI' | 'BOOTSTRAP_MANAGEMENT_KEY' | 'LOG_LEVEL',
    string
  >
>;

/**
 * Replicas of the service on one event log server and one read store server, with a proxy in front
 * of each server.
 */
export class Cluster {
  private constructor(
    readonly replicas: readonly Replica[],
    readonly eventLog: EventStoreDbServer,
    readonly readStore: ServerProcess,
    readonly toEventLog: LoopbackProxy,
    readonly toReadStore: LoopbackProxy,
    readonly settings: ClusterSettings,
    private readonly readModelsUri: string,
    private readonly stopServers: () => Promise<void>,
  ) {}

  static async start(): Promise<Cluster> {
    const [eventLog, mongoDb] = await Promise.all([startEventStoreDb(), startMongoDb()]);
    const readStore = mongoDb.process;
    if (!eventLog.isSimulator || !readStore)
      throw new Error('drills kill servers of their own only');
    const log = new URL(eventLog.connectionString);
    const readModelsUri = mongoDb.freshUri();
    const store = new URL(readModelsUri);
    const toEventLog = await LoopbackProxy.to(Number(log.port));
    const toReadStore = await LoopbackProxy.to(Number(store.port));
    log.port = String(toEventLog.port);
    store.port = String(toReadStore.port);
    store.searchParams.set('directConnection', 'true');
    const managementKey = mintKeyString('mk-v1-');
    const settings = {
      EVENTSTOREDB_CONNECTION_STRING: log.href,
      MONGODB_URI: store.href,
      BOOTSTRAP_MANAGEMENT_KEY: managementKey,
      LOG_LEVEL: 'warn',
    };
    const replicas = await Promise.all(
      Array.from(
        { length: REPLICAS },
        async (_, index) =>
          new Replica(`replica ${index + 1}`, settings, await freePort(), managementKey),
      ),
    );
    const stop = async (): Promise<void> => {
      await Promise.all([toEventLog.close(), toReadStore.close()]);
      await Promise.all([eventLog.stop(), mongoDb.stop()]);
    };
    const cluster = new Cluster(
      replicas,
      eventLog,
      readStore,
      toEventLog,
      toReadStore,
      settings,
      readModelsUri,
      stop,
    );
    try {
      for (const replica of replicas) replica.launch();
      await cluster.ready();
    } catch (error) {
      await cluster.stop();
      throw error;
    }
    return cluster;
  }

  /** Replaces the server by an empty one, as if all its data were lost. */
  async loseReadModels(): Promise<void> {
    this.toReadStore.cut();
    const client = await MongoClient.connect(this.readModelsUri);
    await client.db().dropDatabase();
    await client.close();
    this.toReadStore.mend();
  }

  async ready(): Promise<void> {
    await Promise.all(this.replicas.map((replica) => replica.ready()));
  }

  /** The running replicas, by name. */
  replica(index: number): Replica {
    const replica = this.replicas[index % this.replicas.length];
    if (!replica) throw new Error('there are no replicas');
    return replica;
  }

  async stop(): Promise<void> {
    for (const replica of this.replicas) replica.thaw();
    await Promise.all(this.replicas.map((replica) => replica.kill()));
    await this.stopServers();
  }
}
