import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { type Backends, freshBackends } from '../harness/backends.js';
import { keyledgerHere } from '../harness/command-in-process.js';
import type { CommandLineResult } from '../harness/command-line.js';
import { onlyOn } from '../harness/only-on.js';
import { storedEvents } from '../harness/stored-events.js';

const embedded = onlyOn('embedded', 'events are changed in the file of the log');

describe('keyledger log verify', () => {
  let backends: Backends;

  const verify = (...options: readonly string[]): Promise<CommandLineResult> =>
    keyledgerHere(backends.settings, 'log', 'verify', ...options);

  beforeAll(async () => {
    backends = await freshBackends();
    const account = ['--name', 'Acme', '--owner', 'ada'];
    expect(await keyledgerHere(backends.settings, 'accounts', 'create', ...account)).toMatchObject({
      code: 0,
    });
  });

  afterAll(async () => {
    await backends.dispose();
  });

  it('counts the events, all of which match', async () => {
    const { length } = await storedEvents(backends.settings);
    const { code, stdout } = await verify('--json');
    expect({ code, found: JSON.parse(stdout) as unknown }).toEqual({
      code: 0,
      found: {
        events: length,
        with_hash: length,
        without_hash: 0,
        mismatches: 0,
        first_mismatch: null,
        damage: [],
      },
    });
    expect((await verify()).stdout).toMatch(/^mismatches +0$/m);
  });

  embedded.it('names the first event that is not what was written, and exits with 1', async () => {
    const events = await storedEvents(backends.settings);
    const db = new Database(join(backends.dataDir, 'events.db'));
    db.exec('DROP TRIGGER events_are_never_updated');
    db.exec(`UPDATE events SET metadata = json_remove(metadata, '$.hash') WHERE position = 1`);
    db.exec(
      `UPDATE events SET metadata = json_set(metadata, '$.actor.id', 'eve') WHERE position > 1`,
    );
    db.close();
    const [, second] = events;
    const { code, stdout } = await verify('--json');
    const others = events.length - 1;
    const { id, type, version, stream, revision, position } = second ?? {};
    expect({ code, found: JSON.parse(stdout) as unknown }).toEqual({
      code: 1,
      found: {
        events: events.length,
        with_hash: others,
        without_hash: 1,
        mismatches: others,
        first_mismatch: { id, type, version, stream, revision, position },
        damage: [],
      },
    });
    const people = await verify();
    expect(people).toMatchObject({ code: 1 });
    for (const told of [id, type, stream, position]) expect(people.stdout).toContain(told);
  });
});
