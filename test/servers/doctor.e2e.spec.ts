import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { EventStoreDbServer } from '../backends/eventstoredb-server.js';
import { itOnSimulator } from '../backends/it-on-simulator.js';
import { describeOnMongoDb, itOnOwnMongoDb } from '../backends/on-mongodb.js';
import { startEventStoreDb } from '../backends/start-eventstoredb.js';
import { keyledger } from '../harness/command-line.js';
import { makeTempDirectory } from '../harness/temp-directory.js';

interface Finding {
  readonly part: string;
  readonly state: 'ok' | 'warn' | 'fail';
  readonly found: string;
  readonly todo: string | null;
}

/** Gives the findings of doctor about a server, with the exit code. */
async function doctor(
  part: string,
  settings: Readonly<Record<string, string>>,
): Promise<{ readonly code: number; readonly findings: readonly Finding[] }> {
  const directory = makeTempDirectory();
  try {
    const given = { DATA_DIR: directory.path, ...settings };
    const { code, json } = await keyledger(given, 'doctor', '--json');
    const { data } = json as { readonly data: readonly Finding[] };
    return { code, findings: data.filter((finding) => finding.part === part) };
  } finally {
    directory.remove();
  }
}

const saying = (found: RegExp): unknown =>
  expect.objectContaining({ found: expect.stringMatching(found) });

describe('keyledger doctor with an EventStoreDB', () => {
  let server: EventStoreDbServer;

  beforeAll(async () => {
    server = await startEventStoreDb();
  });

  afterAll(() => server.stop());

  const look = () =>
    doctor('EventStoreDB', { EVENTSTOREDB_CONNECTION_STRING: server.connectionString });

  it('says its version, what its clock says, and whether the log can be read', async () => {
    const { code, findings } = await look();
    expect({ code, failed: findings.filter(({ state }) => state === 'fail') }).toEqual({
      code: 0,
      failed: [],
    });
    expect(findings).toEqual([
      saying(/^it answers, and (has version \d+\.|does not report its version)/),
      saying(/^its clock agrees with the clock here$|^it does not report its time$/),
      saying(/^the log can be read/),
    ]);
  });

  itOnSimulator('says what to do when it is gone', async () => {
    await server.kill();
    const { code, findings } = await look();
    expect(code).toBe(1);
    expect(findings.length).toBeGreaterThan(0);
    for (const { state, todo } of findings) {
      expect(state).toBe('fail');
      expect(todo).toContain('EVENTSTOREDB_CONNECTION_STRING');
    }
  });
});

describeOnMongoDb('keyledger doctor with a MongoDB', (server) => {
  const look = () => doctor('MongoDB', { MONGODB_URI: server().freshUri() });

  it('says its version, and what its clock says', async () => {
    const { code, findings } = await look();
    expect(code).toBe(0);
    expect(findings).toEqual([
      saying(/^it answers, and has version \d+\.\d+/),
      saying(/^its clock agrees with the clock here$|^it does not report its time$/),
    ]);
  });

  itOnOwnMongoDb('says what to do when it is gone', server, async (process) => {
    await process.kill();
    const { code, findings } = await look();
    expect(code).toBe(1);
    expect(findings).toEqual([
      expect.objectContaining({ state: 'fail', todo: expect.stringContaining('MONGODB_URI') }),
    ]);
  });
});
