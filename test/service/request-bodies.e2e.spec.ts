import zlib, { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request as openRequest } from 'node:http';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiDescription } from '../support/harness/api-description.js';
import { createKey } from '../support/harness/api-keys.js';
import { errorOf, expectInvalid } from '../support/harness/error-of.js';
import { UNKNOWN_HASH } from '../support/harness/forms.js';
import type { Answer, Call } from '../support/harness/http-client.js';
import { sendRaw } from '../support/harness/raw-http.js';
import { accountOf, runningApp } from '../support/harness/running-app.js';
import { stateOf } from '../support/harness/service-state.js';

const service = runningApp();

const LIMIT_BYTES = 100 * 1024;
/** The limit of a usage report. */
const REPORT_LIMIT_BYTES = 512 * 1024;
const DEPTH_LIMIT = 32;
const VALUES_LIMIT = 10_000;
/** About as many as fit into 100 KiB. */
const MOST_BRACKETS = 51_000;
const MOST_ZEROS = 51_000;

/** Makes nested objects of a depth. */
function objects(depth: number): string {
  return `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
}

/** Makes nested arrays of a depth. */
function arrays(depth: number): string {
  return '['.repeat(depth) + ']'.repeat(depth);
}

/** Makes an object with a number of fields and items below it. */
function values(count: number): string {
  return `{"name":"wide","unknown":[${'0,'.repeat(count - 3)}0]}`;
}

/**
 * Makes a zstd frame with one uncompressed block, because Node cannot compress with zstd. Node 20:
 * from 22.15 on it can.
 */
function zstdFrame(text: string): Buffer {
  const { length } = text;
  const header = [0x28, 0xb5, 0x2f, 0xfd, 0x20, length, length * 8 + 1, 0, 0];
  return Buffer.concat([Buffer.from(header), Buffer.from(text)]);
}

/** Bodies that are no objects, by name. */
const NO_OBJECTS: readonly (readonly [string, Call['body']])[] = [
  ['none at all', undefined],
  ['empty', ''],
  ['white space', ' \n'],
  ['an array', '[]'],
  ['an array of an object', '[{"name":"a","user":"a","limit":1}]'],
  ['a string', '"name"'],
  ['a number', '5'],
  ['true', 'true'],
  ['null', 'null'],
  ['cut off', '{"name":"a","user":"a"'],
  ['of two values', '{"name":"a"}{"name":"b"}'],
  ['with a trailing comma', '{"name":"a",}'],
  ['with single quotes', "{'name':'a'}"],
  ['with a comment', '{"name":"a"/**/}'],
  ['with NaN', '{"limit":NaN}'],
  ['with a raw line break in a string', '{"name":"a\nb"}'],
  ['a form', 'name=a&user=a'],
  ['of bytes that are no UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
  ['UTF-16', Buffer.from('{"name":"a"}', 'utf16le')],
  ['102,400 brackets that never close', '['.repeat(LIMIT_BYTES)],
  ['51,200 zeros that never end', '0,'.repeat(LIMIT_BYTES / 2)],
];

/** Bodies that are too deep or have too many values, by name. */
const TOO_COMPLEX: readonly (readonly [string, string])[] = [
  ['objects, one too deep', objects(DEPTH_LIMIT + 1)],
  ['arrays, one too deep', `{"name":${arrays(DEPTH_LIMIT)}}`],
  ['objects and arrays, one too deep', `{"name":[${objects(DEPTH_LIMIT - 1)}]}`],
  ['one value too many', values(VALUES_LIMIT + 1)],
  ['nothing but brackets', `{"name":${arrays(MOST_BRACKETS)}}`],
  ['nothing but zeros', values(MOST_ZEROS)],
];

/** Charsets that Express would decode, and one that it would not. */
const CHARSETS = ['utf-16', 'utf-16le', 'utf-32', 'utf-7', 'iso-8859-1', 'nonsense'];

describe('the body of a request', () => {
  const account = accountOf(service);
  let apiKey: string;
  /** Every route that takes a JSON body, and whether it needs one. */
  let routes: readonly (readonly [method: string, path: string, needsBody: boolean])[];

  beforeAll(async () => {
    const { data, key } = await createKey(account.client);
    apiKey = key;
    const { body: description } = await service.client.get<ApiDescription>('/openapi.json');
    routes = Object.entries(description.paths).flatMap(([path, operations]) =>
      Object.entries(operations)
        .filter(([, { requestBody }]) => requestBody?.content['application/json'])
        .map(([method, { requestBody }]) => {
          const needsBody = requestBody?.required === true;
          return [method.toUpperCase(), filled(path, data.hash), needsBody] as const;
        }),
    );
    expect(routes.length).toBeGreaterThanOrEqual(8);
    expect(routes.filter(([, , needsBody]) => !needsBody)).toEqual([
      ['POST', `/v1/keys/${data.hash}/rotate`, false],
    ]);
  });

  function filled(path: string, hash: string): string {
    return path
      .replace('{hash}', hash)
      .replace('{user}', 'ada')
      .replace('{workspace}', account.defaultWorkspaceId);
  }

  /** @param call the call, or how it is made from the limit of the route. */
  async function onEveryRoute(
    call: Call | ((limit: number) => Call),
    check: (answer: Answer) => void,
  ): Promise<void> {
    const before = await stateOf(service);
    for (const [method, path, needsBody] of routes) {
      const made = typeof call === 'function' ? call(limitOf(path)) : call;
      if (!needsBody && (made.body ?? '') === '') continue;
      check(await account.client.send(method, path, made));
    }
    expect(await stateOf(service)).toEqual(before);
  }

  function limitOf(path: string): number {
    return path.startsWith('/v1/usage-reports/') ? REPORT_LIMIT_BYTES : LIMIT_BYTES;
  }

  /** Makes a valid creation with a body of this many bytes. */
  function bodyOfSize(bytes: number): string {
    const frame = JSON.stringify({ name: 'n', unknown: '' });
    return JSON.stringify({ name: 'n', unknown: 'u'.repeat(bytes - frame.length) });
  }

  it.each(NO_OBJECTS)('is refused with 400 when it is %s', (_, body) =>
    onEveryRoute({ body }, (answer) => {
      expectInvalid(answer, account, '');
    }),
  );

  it.each([
    ['objects', objects(DEPTH_LIMIT - 1)],
    ['arrays', arrays(DEPTH_LIMIT - 1)],
    ['objects in an array', `[${objects(DEPTH_LIMIT - 2)}]`],
  ])('may be 32 deep, itself included, of %s', async (_, inside) => {
    const answer = await account.client.post('/v1/keys', `{"name":"deep","unknown":${inside}}`);
    expect(answer).toMatchObject({ status: 201, body: { data: { name: 'deep' } } });
  });

  it.each(TOO_COMPLEX)('is refused with 400 when it is of %s', (_, body) =>
    onEveryRoute({ body }, (answer) => {
      expect(Buffer.byteLength(body)).toBeLessThanOrEqual(LIMIT_BYTES);
      expect(errorOf(answer, 400)).toMatchObject({
        reason: 'body-too-complex',
        metadata: { max_depth: DEPTH_LIMIT, max_values: VALUES_LIMIT },
      });
    }),
  );

  it.each(CHARSETS)('is refused with 415 in the charset %s', async (charset) => {
    const encoded = charset === 'utf-16le' || charset === 'utf-16' ? 'utf16le' : 'latin1';
    const headers = { 'Content-Type': `application/json; charset=${charset}` };
    await onEveryRoute(
      { body: Buffer.from('{"name":"a","user":"a"}', encoded), headers },
      (answer) => {
        expect(errorOf(answer, 415)).toMatchObject({ reason: 'charset-unsupported' });
      },
    );
  });

  it.each(['utf-8', 'UTF-8', '"utf-8"'])('may say that its charset is %s', async (charset) => {
    const answer = await account.client.post('/v1/keys', '{"name":"é"}', {
      headers: { 'Content-Type': `application/json; charset=${charset}` },
    });
    expect(answer).toMatchObject({ status: 201, body: { data: { name: 'é' } } });
  });

  it('may have any number of commas in its texts', async () => {
    const text = `\\"${','.repeat(VALUES_LIMIT)}\\\\`;
    const body = `{"name":"commas","unknown":["${text}","${text}"]}`;
    const answer = await account.client.post('/v1/keys', body);
    expect(answer).toMatchObject({ status: 201, body: { data: { name: 'commas' } } });
  });

  it('may have 10,000 fields and items', async () => {
    const answer = await account.client.post('/v1/keys', values(VALUES_LIMIT));
    expect(answer).toMatchObject({ status: 201, body: { data: { name: 'wide' } } });
  });

  it('counts with the last of a field that is given twice', async () => {
    const answer = await account.client.post('/v1/keys', '{"name":5,"limit":1,"name":"last"}');
    expect(answer).toMatchObject({ status: 201, body: { data: { name: 'last', limit: 1 } } });
    const refused = await account.client.post('/v1/keys', '{"name":"first","name":5}');
    expect(errorOf(refused, 400).paths).toEqual(['name']);
  });

  it('may begin with a byte order mark', async () => {
    const answer = await account.client.post('/v1/keys', '\ufeff{"name":"marked"}');
    expect(answer).toMatchObject({ status: 201, body: { data: { name: 'marked' } } });
  });

  it('may have exactly 100 KiB', async () => {
    const body = bodyOfSize(LIMIT_BYTES);
    expect(Buffer.byteLength(body)).toBe(LIMIT_BYTES);
    expect(await account.client.post('/v1/keys', body)).toMatchObject({ status: 201 });
  });

  it.each([
    ['a byte more than its limit', (limit: number) => limit + 1],
    ['a MiB', () => 1024 * 1024],
  ])('is refused with 413 when it has %s', (_, bytesFor) =>
    onEveryRoute(
      (limit) => ({ body: bodyOfSize(bytesFor(limit)) }),
      (answer) => {
        expect(errorOf(answer, 413).userId).toBe(account.userId);
      },
    ),
  );

  it('is refused with 413 when it arrives in chunks and has more than 100 KiB', async () => {
    const chunk = `${(60 * 1024).toString(16)}\r\n${'x'.repeat(60 * 1024)}\r\n`;
    const answer = await sendRaw(
      service.address,
      'POST /v1/keys HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n' +
        `Authorization: Bearer ${account.managementKey}\r\n\r\n${chunk}${chunk}0\r\n\r\n`,
    );
    errorOf(answer, 413);
  });

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ])('may be compressed with %s', async (encoding, compress) => {
    const body = compress(JSON.stringify({ name: encoding }));
    const answer = await account.client.post('/v1/keys', body, {
      headers: { 'Content-Encoding': encoding },
    });
    expect(answer).toMatchObject({ status: 201, body: { data: { name: encoding } } });
  });

  it('may be compressed with zstd where Node can read that, and is refused with 415 elsewhere', async () => {
    const answer = await account.client.post('/v1/keys', zstdFrame('{"name":"zstd"}'), {
      headers: { 'Content-Encoding': 'zstd' },
    });
    if ('createZstdDecompress' in zlib) {
      expect(answer).toMatchObject({ status: 201, body: { data: { name: 'zstd' } } });
    } else {
      errorOf(answer, 415);
    }
  });

  it('is measured as it is after decompression', () =>
    onEveryRoute(
      (limit) => ({
        body: gzipSync(bodyOfSize(limit + 1)),
        headers: { 'Content-Encoding': 'gzip' },
      }),
      (answer) => errorOf(answer, 413),
    ));

  it.each([
    ['no gzip', Buffer.from('{"name":"a","user":"a"}')],
    ['cut-off gzip', gzipSync('{"name":"a","user":"a"}').subarray(0, 15)],
  ])('is refused with 400 when it is %s but says gzip', (_, body) =>
    onEveryRoute({ body, headers: { 'Content-Encoding': 'gzip' } }, (answer) =>
      errorOf(answer, 400),
    ),
  );

  it('is refused with 415 in a content encoding that is not supported', () =>
    onEveryRoute(
      { body: '{"name":"a","user":"a"}', headers: { 'Content-Encoding': 'compact' } },
      (answer) => errorOf(answer, 415),
    ));

  it('is looked at after the key: 401, 403, 413, 400, 404, in this order', async () => {
    const tooLarge = 'x'.repeat(LIMIT_BYTES + 1);
    const bodies = ['{', '[]', '{}', tooLarge];
    for (const [method, path] of routes) {
      for (const body of bodies) {
        const nobody = service.client.as(undefined);
        errorOf(await nobody.send(method, path, { body }), 401);
        errorOf(await nobody.send(method, path, { body, key: 'no-such-key' }), 401);
        errorOf(await nobody.send(method, path, { body, key: apiKey }), 403);
      }
      const body = 'x'.repeat(limitOf(path) + 1);
      errorOf(await account.client.send(method, path, { body }), 413);
    }
    const noKey = `/v1/keys/${UNKNOWN_HASH}`;
    errorOf(await account.client.patch(noKey, tooLarge), 413);
    errorOf(await account.client.patch(noKey, '{'), 400);
    errorOf(await account.client.patch(noKey, {}), 400);
    errorOf(await account.client.patch(noKey, { name: '' }), 400);
    errorOf(await account.client.patch(noKey, { name: 'b' }), 404);
  });

  it.each([
    ['nobody', 401, () => ''],
    ['an API key', 403, () => `Authorization: Bearer ${apiKey}\r\n`],
  ])('is not waited for when %s sends it', async (_, status, authorization) => {
    const answer = await sendRaw(
      service.address,
      'POST /v1/keys HTTP/1.1\r\nHost: a\r\nConnection: close\r\n' +
        `Content-Length: 50\r\n${authorization()}\r\n`,
    );
    errorOf(answer, status);
  });
});

const MIB = 1024 * 1024;

describe('a body that is not read', () => {
  let authorization: string;

  beforeAll(() => {
    authorization = `Authorization: Bearer ${service.managementKey}\r\n`;
  });

  /** Makes the head of a registration with these lines, without `Connection: close`. */
  function head(...lines: readonly string[]): string {
    return `POST /v1/end-users HTTP/1.1\r\nHost: a\r\n${lines.join('')}\r\n`;
  }

  it('is drained when it is too large, so that its sender reads the 413 and goes on', async () => {
    for (const bytes of [150_000, MIB]) {
      const answer = await service.client.post('/v1/end-users', 'x'.repeat(bytes));
      errorOf(answer, 413);
      expect(answer.headers.get('connection')).not.toBe('close');
    }
  });

  it('is 415 before it is 413', async () => {
    const answer = await sendRaw(
      service.address,
      head(
        authorization,
        'Connection: close\r\nContent-Encoding: compact\r\nContent-Length: 102401\r\n',
      ),
    );
    errorOf(answer, 415);
  });

  it('does no harm when it follows a compressed body that is complete', async () => {
    const request = openRequest(`${service.address}/v1/end-users`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${service.managementKey}`,
        'Content-Encoding': 'gzip',
        'Transfer-Encoding': 'chunked',
      },
    });
    request.write(Buffer.concat([gzipSync('{"user":"padded"}'), Buffer.alloc(64)]));
    const answer = await answerOf(request);
    expect(answer.statusCode).toBe(201);
    request.end(Buffer.alloc(2 * MIB));
    await once(request, 'close');
    expect(await service.client.get('/v1/end-users')).toMatchObject({ status: 200 });
  });
});

async function answerOf(request: ClientRequest): Promise<IncomingMessage> {
  const [answer] = (await once(request, 'response')) as [IncomingMessage];
  return answer.resume();
}
