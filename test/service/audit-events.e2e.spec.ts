import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { CommandBus } from '@nestjs/cqrs';
import type { EventLog } from '../../src/event-sourcing/event-log/event-log.js';
import { MANAGEMENT } from '../../src/event-sourcing/ledger.js';
import { AddMember } from '../../src/features/accounts/accounts.commands.js';
import { accountStream } from '../../src/features/accounts/domain/account.js';
import type { AuditEvent } from '../../src/features/audit-trail/domain/audit-event.js';
import { endUserId, endUserStream } from '../../src/features/end-users/domain/end-user.js';
import { keyStream } from '../../src/features/keys/domain/key.js';
import { hashKeyString } from '../../src/kernel/key-string.js';
import { createKey } from '../support/harness/api-keys.js';
import { auditEvents, auditPage, recordsIn } from '../support/harness/audit-events.js';
import { errorOf } from '../support/harness/error-of.js';
import { eventually } from '../support/harness/eventually.js';
import { UUID } from '../support/harness/forms.js';
import { type Answer, HttpClient } from '../support/harness/http-client.js';
import { onlyOn } from '../support/harness/only-on.js';
import { accountOf, OPERATOR, runningApp } from '../support/harness/running-app.js';
import { storedEvents } from '../support/harness/stored-events.js';
import { metadataAt } from '../support/specs/metadata-at.js';

const service = runningApp();

const NDJSON = 'application/x-ndjson';
const AS_LINES = { headers: { Accept: NDJSON } };

const embedded = onlyOn('embedded', 'queries are read before a backend is asked');

describe('the audit trail over HTTP', () => {
  /** The account of tests that only read. */
  const account = accountOf(service);
  /** The hash of a key that was created, renamed and disabled. */
  let hash: string;

  beforeAll(async () => {
    const { client, accountId } = account;
    const external = { user: 'partner', lookup_key: 'a-lookup-key' };
    ({
      data: { hash },
    } = await createKey(client, { name: 'first', limit: 5, external }));
    await client.patch(`/v1/keys/${hash}`, { name: 'second', disabled: true });
    for (const user of ['ada', 'bob']) await client.post('/v1/end-users', { user });
    await client.patch('/v1/end-users/bob', { is_active: false });
    const commands = service.app.get(CommandBus);
    await commands.execute(new AddMember(accountId, 'user-bob', OPERATOR));
  });

  it('lists every action in the account, newest first', async () => {
    const listed = (await auditEvents(account.client)).map(({ action, target }) => [
      action,
      target.type,
      target.id,
      target.name,
    ]);
    const { accountId, userId, managementKey, defaultWorkspaceId } = account;
    expect(listed).toEqual([
      ['member.added', 'member', 'user-bob', null],
      ['end-user.deactivated', 'end-user', 'bob', null],
      ['end-user.registered', 'end-user', 'bob', null],
      ['end-user.registered', 'end-user', 'ada', null],
      ['key.disabled', 'key', hash, 'second'],
      ['key.renamed', 'key', hash, 'second'],
      ['key.created', 'key', hash, 'first'],
      ['management-key.created', 'management-key', hashKeyString(managementKey), null],
      ['workspace.created', 'workspace', defaultWorkspaceId, 'Default'],
      ['member.added', 'member', userId, null],
      ['account.created', 'account', accountId, 'Test'],
    ]);
  });

  it('shows the actor, the time, the request and the changes of each event', async () => {
    const { client, managementKey, userId } = await service.openAccount();
    const { data: key } = await createKey(client, { name: 'second', limit: 5 });
    const headers = { 'X-Request-Id': 'a request to be found again' };
    await client.patch(`/v1/keys/${key.hash}`, { limit: 7.5 }, { headers });
    const { body } = await auditPage(client, 'limit=1');
    const stored = (await storedEvents(service.backends.settings)).at(-1);
    expect(body.data).toEqual([
      {
        id: stored?.id,
        occurred_at: stored?.metadata.occurred_at,
        action: 'key.limit-changed',
        actor: {
          type: 'management-key',
          id: hashKeyString(managementKey),
          user_id: userId,
        },
        target: { type: 'key', id: key.hash, name: 'second' },
        changes: [{ field: 'limit', before: 5, after: 7.5 }],
        request_id: headers['X-Request-Id'],
        trace_id: null,
        log_position: stored?.position,
      },
    ]);
    expect(body.data[0]?.id).toMatch(UUID);
  });

  it('shows the actions of an operator, and of the service itself', async () => {
    const [joined] = await auditEvents(account.client, 'action=member.added');
    expect(joined).toMatchObject({ actor: OPERATOR.actor, request_id: null });
    const [first] = await auditEvents(service.client, 'action=account.created');
    expect(first?.actor).toEqual({ type: 'system', id: 'first-start', user_id: null });
  });

  it('gives one event by its id, to its own account alone', async () => {
    const [event] = await auditEvents(account.client, 'action=key.created');
    const path = `/v1/audit-events/${event?.id ?? ''}`;
    const answer = await account.client.get<{ data: AuditEvent }>(path);
    expect(answer).toMatchObject({ status: 200, body: { data: event } });
    const foreign = await service.client.get(path);
    const ids = ['00000000-0000-4000-8000-00000000dead', 'x', '..%2Fkeys', event?.id.toUpperCase()];
    for (const id of ids) {
      const unknown = await service.client.get(`/v1/audit-events/${id}`);
      expect(errorOf(unknown, 404)).toEqual(errorOf(foreign, 404));
    }
  });

  it('shows an account no event of another', async () => {
    const other = await service.openAccount();
    const own = await auditEvents(other.client);
    expect(own).toHaveLength(4);
    const [event] = await auditEvents(account.client, 'action=key.created');
    for (const query of [
      `target_type=key&target_id=${hash}`,
      `target_type=account&target_id=${account.accountId}`,
      `actor=${account.userId}`,
      `actor=${hashKeyString(account.managementKey)}`,
      'action=key.created',
    ]) {
      expect((await auditPage(other.client, query)).body).toEqual({ data: [], next_cursor: null });
      const { text } = await auditPage(other.client, query, AS_LINES);
      expect(text).toBe('');
    }
    expect(JSON.stringify(own)).not.toContain(account.accountId);
    expect(event).toBeDefined();
  });

  it('finds by each filter, and by all of them at once', async () => {
    const actionsOf = async (query: string): Promise<string[]> =>
      (await auditEvents(account.client, query)).map(({ action }) => action);
    const mine = hashKeyString(account.managementKey);
    const target = `target_type=key&target_id=${hash}`;
    expect(await actionsOf('action=key.created')).toEqual(['key.created']);
    expect(await actionsOf('action=key.created&action=key.renamed')).toEqual([
      'key.renamed',
      'key.created',
    ]);
    expect(new Set(await actionsOf('target_type=key'))).toEqual(
      new Set(['key.created', 'key.renamed', 'key.disabled']),
    );
    expect(await actionsOf('target_type=end-user&target_id=bob')).toEqual([
      'end-user.deactivated',
      'end-user.registered',
    ]);
    expect(await actionsOf(`actor=${mine}`)).toEqual(await actionsOf(`actor=${account.userId}`));
    expect(await actionsOf(`actor=${mine}&action=member.added`)).toEqual([]);
    expect(await actionsOf('action=key.created&target_type=workspace')).toEqual([]);
    const [disabled] = await auditEvents(account.client, `${target}&action=key.disabled`);
    const from = disabled?.occurred_at ?? '';
    const to = new Date(Date.parse(from) + 1).toISOString();
    const all = `${target}&action=key.disabled&actor=${mine}`;
    expect(await actionsOf(`${all}&from=${from}&to=${to}`)).toEqual(['key.disabled']);
    expect(await actionsOf(`${all}&from=${to}`)).toEqual([]);
    expect(await actionsOf(`${all}&to=${from}`)).toEqual([]);
    expect(await actionsOf(`${all}&from=${from}&to=${from}`)).toEqual([]);
  });

  it('gives at most 50 events a page, or as many as asked for', async () => {
    const other = await service.openAccount();
    for (let index = 0; index < 60; index += 1)
      await other.client.post('/v1/end-users', { user: `user-${index}` });
    const sizes = async (query: string): Promise<[number, string]> => {
      const { body } = await auditPage(other.client, query);
      return [body.data.length, typeof body.next_cursor];
    };
    expect(await sizes('')).toEqual([50, 'string']);
    expect(await sizes('limit=63')).toEqual([63, 'string']);
    expect(await sizes('limit=64')).toEqual([64, 'object']);
    expect(await auditEvents(other.client, 'limit=7')).toEqual(
      await auditEvents(other.client, 'limit=100'),
    );
  });

  embedded.it.each([
    ['limit', 'limit=0'],
    ['limit', 'limit=101'],
    ['limit', 'limit=1&limit=2'],
    ['cursor', 'cursor='],
    ['cursor', `cursor=${'a'.repeat(513)}`],
    ['cursor', 'cursor=anything'],
    ['cursor', 'cursor=a&cursor=b'],
    ['from', 'from=2026-01-01'],
    ['from', 'from=2026-01-01T00:00Z'],
    ['from', 'from=2026-01-01T00:00:01Z&to=2026-01-01T00:00:00Z'],
    ['to', 'to=2026-02-30T00:00:00Z'],
    ['to', 'to=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z'],
    ['action', 'action=key.exploded'],
    ['action', 'action=key.created&action='],
    ['actor', 'actor='],
    ['actor', `actor=${'a'.repeat(513)}`],
    ['actor', 'actor=a&actor=b'],
    ['target_type', 'target_type=keys'],
    ['target_type', 'target_type=key&target_type=key'],
    ['target_id', 'target_id=x'],
    ['target_id', `target_type=key&target_id=${'a'.repeat(513)}`],
    ['target_id', 'target_type=key&target_id=x&target_id=y'],
    ['target_type', 'target_type=%FF&target_id=x'],
    ['to', 'from=2026-01-01T00:00:00Z&to=%FF'],
  ])('refuses and names a %s that is not right: %s', async (path, query) => {
    for (const call of [{}, AS_LINES]) {
      // A stream ignores the cursor.
      if (call === AS_LINES && query === 'cursor=anything') continue;
      const answer: Answer = await auditPage(account.client, query, call);
      const { metadata } = errorOf(answer, 400);
      const { issues } = metadata as { issues: { path: string }[] };
      expect(issues.map((issue) => issue.path)).toEqual([path]);
    }
  });

  embedded.it.each(['from', 'to', 'actor', 'cursor', 'target_id'])(
    'says of a %s given twice that it was',
    async (name) => {
      const value = `${name}=2026-01-01T00:00:00Z`;
      const twice = `target_type=key&${value}&${value}`;
      const { metadata } = errorOf(await auditPage(account.client, twice), 400);
      expect(metadata).toEqual({ issues: [{ path: name, message: 'must be given once' }] });
    },
  );
});

describe('the audit trail', () => {
  const account = accountOf(service);

  it.each([NDJSON, `application/json;q=0.5, ${NDJSON}`, `${NDJSON};q=0.2, text/html`])(
    'is given as lines to who accepts %s, whatever limit and cursor say',
    async (Accept) => {
      const all = await auditEvents(account.client);
      const answer = await auditPage(account.client, 'limit=1&cursor=x', { headers: { Accept } });
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toBe(NDJSON);
      expect(answer.headers.get('vary')).toBe('Accept');
      expect(recordsIn(answer.text)).toEqual(all);
    },
  );

  it.each(['*/*', `application/json, ${NDJSON};q=0.9`, 'text/html'])(
    'is given as a page to who accepts %s',
    async (Accept) => {
      const { headers } = await auditPage(account.client, '', { headers: { Accept } });
      expect(headers.get('content-type')).toMatch(/^application\/json/);
    },
  );

  it('has no lines for HEAD, but their headers', async () => {
    const headers = { Accept: NDJSON };
    const head = await account.client.send('HEAD', '/v1/audit-events', { headers });
    expect(head).toMatchObject({ status: 200, text: '' });
    expect(head.headers.get('content-type')).toBe(NDJSON);
  });
});

describe('a stream with an event that this build does not know', () => {
  const service = runningApp();

  /** Stores an event of an unknown type. @returns the id of the event. */
  async function happen(stream: string): Promise<string> {
    const log = service.app.get<EventLog>(MANAGEMENT.log);
    const id = randomUUID();
    const event = { id, type: 'UnheardOf', version: 1, data: {}, metadata: metadataAt(0) };
    const { length } = (await log.readStream(stream)).events;
    await log.append(stream, [event], length - 1);
    return id;
  }

  function unreadable(answer: Answer): void {
    expect(errorOf(answer, 503).reason).toBe('event-unreadable');
    expect(answer.headers.get('Retry-After')).toBe('1');
  }

  it('of a key takes neither the key nor a change of it, and names the event in the log', async () => {
    const { client } = await service.openAccount();
    const { key, data } = await createKey(client);
    const asKey = new HttpClient(service.address, key);
    expect((await asKey.get('/v1/key')).status).toBe(200);
    const id = await happen(keyStream(data.hash));
    // The service may still remember the key.
    const refused = await eventually('the key is refused', async () => {
      const answer = await asKey.get('/v1/key');
      return answer.status !== 200 && answer;
    });
    unreadable(refused);
    unreadable(await client.patch(`/v1/keys/${data.hash}`, { name: 'other' }));
    unreadable(await client.delete(`/v1/keys/${data.hash}`));
    expect(service.logLines.some((line) => line.includes(id))).toBe(true);
    const other = await createKey(client);
    expect(other.data.name).toBe('a key');
  });

  it('of an account takes none of its management keys, and leaves other accounts alone', async () => {
    const { client, accountId } = await service.openAccount();
    const another = await service.openAccount();
    await happen(accountStream(accountId));
    const path = '/v1/keys';
    // The service remembers a recently used key for a second.
    const begun = performance.now();
    let answer = await client.post(path, { name: 'x' });
    while (answer.status === 201 && performance.now() - begun < 10_000)
      answer = await client.post(path, { name: 'x' });
    unreadable(answer);
    expect((await another.client.post(path, { name: 'x' })).status).toBe(201);
  });

  it('of an end user takes no change of that one', async () => {
    const { client, accountId } = await service.openAccount();
    await client.post('/v1/end-users', { user: 'ada' });
    await happen(endUserStream(endUserId(accountId, 'ada')));
    unreadable(await client.patch('/v1/end-users/ada', { is_active: false }));
    unreadable(await client.post('/v1/end-users', { user: 'ada' }));
  });
});
