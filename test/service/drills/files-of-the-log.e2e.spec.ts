import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { mintKeyString } from '../../../src/kernel/key-string.js';
import { allPages } from '../../support/harness/all-pages.js';
import { eventually } from '../../support/harness/eventually.js';
import { failSyncs, limitFileSize } from '../../support/harness/file-faults.js';
import { onlyOn, onlyWhereDisksFail } from '../../support/harness/only-on.js';
import type { ServiceProcess } from '../../support/harness/service-process.js';
import { stageOfEach } from '../../support/harness/stage.js';

const embedded = onlyOn('embedded', 'the log is files that somebody can remove');
const MANAGED = { BOOTSTRAP_MANAGEMENT_KEY: mintKeyString('mk-v1-') };
const WRITERS = 8;
const WRITES_BEFORE = 200;

embedded.describe('a service under load whose files fail', () => {
  const { backends, start } = stageOfEach();
  let service: ServiceProcess;
  let acknowledged: string[];
  let refused: string[];
  let writing: Promise<unknown>;
  let isOver: boolean;

  const path = (name: string): string => join(backends.dataDir, name);

  beforeEach(async () => {
    service = await start(MANAGED);
    acknowledged = [];
    refused = [];
    isOver = false;
    writing = Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
    await acknowledgedMore(WRITES_BEFORE);
  });

  afterEach(async () => {
    isOver = true;
    await writing;
  });

  /** Registers end users until the service ends. */
  async function write(writer: number): Promise<void> {
    for (let count = 0; !isOver; count += 1) {
      try {
        await register(`${writer}-${count}`);
      } catch {
        // The service was killed, so this end user may be stored or not.
        return;
      }
    }
  }

  async function register(user: string): Promise<void> {
    const { status } = await service.client.post('/v1/end-users', { user });
    if (status === 201) acknowledged.push(user);
    if (status === 503) refused.push(user);
  }

  function acknowledgedMore(count: number): Promise<unknown> {
    const before = acknowledged.length;
    return eventually('writes go on', () => acknowledged.length >= before + count, 20_000);
  }

  function isRefused(): Promise<unknown> {
    return eventually('writes are refused', () => refused.length > 0);
  }

  /**
   * Kills the service, restores its files and starts it. Every acknowledged write must exist, and
   * no refused one.
   */
  async function expectAll(putRight: () => unknown = () => undefined): Promise<void> {
    await service.stop('SIGKILL');
    await writing;
    await putRight();
    service = await start(MANAGED);
    const stored = await users();
    expect(acknowledged.filter((user) => !stored.has(user))).toEqual([]);
    expect(refused.filter((user) => stored.has(user))).toEqual([]);
    expect((await service.client.post('/v1/end-users', { user: 'after' })).status).toBe(201);
  }

  async function users(): Promise<Set<string>> {
    const { items } = await allPages<{ user: string }>(service.client, '/v1/end-users');
    return new Set(items.map(({ user }) => user));
  }

  it('survives kill -9 after events.db was moved away, once it is back', async () => {
    renameSync(path('events.db'), path('away'));
    await acknowledgedMore(WRITES_BEFORE);
    await expectAll(() => renameSync(path('away'), path('events.db')));
  });

  it('survives kill -9 while its disk is full', async () => {
    await limitFileSize(service.child.pid ?? 0, 1);
    await isRefused();
    await expectAll();
  });

  onlyWhereDisksFail()('survives its end by a disk that failed to keep a write', async () => {
    const restore = await failSyncs(service.child.pid ?? 0);
    expect(await service.ended).toBe(74);
    await expectAll(restore);
  });

  it('survives kill -9 while a reader keeps its write-ahead log', async () => {
    const reader = new Database(path('events.db'), { readonly: true });
    try {
      reader.exec('BEGIN; SELECT count(*) FROM events');
      await acknowledgedMore(WRITES_BEFORE);
      await expectAll();
    } finally {
      reader.close();
    }
  });
});
