import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { constants, gunzipSync } from 'node:zlib';
import { afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { auditTrail } from '../../src/audit-trail/audit-directory/audit-trail.projection.js';
import { Projections } from '../../src/projections/projections.js';
import { auditPage, recordsIn } from '../harness/audit-events.js';
import { eventually } from '../harness/eventually.js';
import { registerMany } from '../harness/long-trail.js';
import { runningApp, type TestAccount } from '../harness/running-app.js';

const MANY = 1_000;
const OPENING = 4;
const PATH = '/v1/audit-events';

interface Bytes {
  readonly response: IncomingMessage;
  /** Reads to the end. @throws Error when the connection breaks before the end. */
  readonly read: () => Promise<Buffer>;
}

describe('the audit trail as a compressed stream', () => {
  const service = runningApp();
  let account: TestAccount;

  beforeAll(async () => {
    account = await service.openAccount();
    await registerMany(service, account, MANY);
  });

  afterEach(() => {
    jest.restoreAllMocks();
  });

  async function ask(acceptEncoding?: string, accept = 'application/x-ndjson'): Promise<Bytes> {
    const request = get(`${service.address}${PATH}`, {
      agent: false,
      headers: {
        Accept: accept,
        Authorization: `Bearer ${account.managementKey}`,
        ...(acceptEncoding !== undefined && { 'Accept-Encoding': acceptEncoding }),
      },
    });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    response.on('error', () => undefined);
    return {
      response,
      async read() {
        const chunks: Buffer[] = [];
        for await (const chunk of response) chunks.push(chunk as Buffer);
        return Buffer.concat(chunks);
      },
    };
  }

  it.each([
    'gzip',
    'GZIP',
    'deflate, gzip;q=0.5',
    'br;q=1.0, gzip;q=0.8, *;q=0.1',
    '*',
    'identity;q=0, *',
    'identity;q=0.5, gzip;q=0.6',
  ])('is the same to who accepts %s', async (encoding) => {
    const { response, read } = await ask(encoding);
    expect(response.headers).toMatchObject({
      'content-type': 'application/x-ndjson',
      'content-encoding': 'gzip',
      vary: 'Accept, Accept-Encoding',
      'transfer-encoding': 'chunked',
    });
    const bytes = await read();
    const plain = await (await ask()).read();
    expect(gunzipSync(bytes).equals(plain)).toBe(true);
    expect(bytes.length).toBeLessThan(plain.length / 4);
    expect(recordsIn(plain.toString())).toHaveLength(MANY + OPENING);
  });

  it.each([undefined, '', 'identity', 'br, deflate', 'gzip;q=0', 'identity, gzip;q=0.5', '*;q=0'])(
    'is sent as it is to who accepts %s',
    async (encoding) => {
      const { response, read } = await ask(encoding);
      expect(response.headers).toMatchObject({ vary: 'Accept, Accept-Encoding' });
      expect(response.headers).not.toHaveProperty('content-encoding');
      expect(recordsIn((await read()).toString())).toHaveLength(MANY + OPENING);
    },
  );

  it('is no matter of pages, which are sent as they are', async () => {
    const { response, read } = await ask('gzip', 'application/json');
    expect(response.headers).toMatchObject({ vary: 'Accept, Accept-Encoding' });
    expect(response.headers).not.toHaveProperty('content-encoding');
    const { body } = await auditPage(account.client);
    expect(JSON.parse((await read()).toString()) as unknown).toEqual(body);
  });

  /** Delays the second read of the trail. @returns a function that lets the read go on. */
  function holdSecondRead(fault?: Error): () => void {
    const running = service.app.get(Projections).get(auditTrail.name);
    const read = running.read.bind(running);
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const spy = jest.spyOn(running, 'read');
    spy.mockImplementationOnce((...asked) => read(...asked));
    spy.mockImplementationOnce(async (...asked) => {
      await held;
      if (fault) throw fault;
      return read(...asked);
    });
    return release;
  }

  it('gives its first events before the service has read the others', async () => {
    const release = holdSecondRead();
    const { response } = await ask('gzip');
    const [first] = (await once(response, 'data')) as [Buffer];
    const text = gunzipSync(first, { finishFlush: constants.Z_SYNC_FLUSH }).toString();
    expect(text.match(/"end-user.registered"/g)?.length).toBeGreaterThan(0);
    release();
    await once(response, 'end');
  });

  it('is told from a whole one where a fault breaks it off, by its chunks and by its own end', async () => {
    const release = holdSecondRead(new Error('the tape is torn'));
    const before = service.logLines.length;
    const { response } = await ask('gzip');
    const chunks: Buffer[] = [];
    response.on('data', (chunk: Buffer) => chunks.push(chunk));
    // `once` of Node rejects for the error that comes before the close.
    const closed = new Promise((resolve) => response.once('close', resolve));
    await once(response, 'data');
    release();
    await closed;
    expect(response.complete).toBe(false);
    expect(() => gunzipSync(Buffer.concat(chunks))).toThrow('unexpected end of file');
    const line = await eventually('the request is logged', () =>
      service.logLines.slice(before).find((text) => text.includes('"request broken off"')),
    );
    expect(JSON.parse(line)).toMatchObject({ level: 40, status: 200 });
  });

  it('ends without a fault when its reader leaves', async () => {
    const before = service.logLines.length;
    const { response } = await ask('gzip');
    response.destroy();
    const own = (): string[] => service.logLines.slice(before);
    await eventually('the service notices', () =>
      own().some((line) => /"request( aborted)?"/.test(line)),
    );
    expect(own().filter((line) => /"level":[45]0/.test(line))).toEqual([]);
  });

  it('has the same headers for HEAD, and no body', async () => {
    const headers = { Accept: 'application/x-ndjson', 'Accept-Encoding': 'gzip' };
    const head = await account.client.send('HEAD', PATH, { headers });
    expect(head).toMatchObject({ status: 200, text: '' });
    expect(head.headers.get('content-encoding')).toBe('gzip');
  });
});
