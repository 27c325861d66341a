import { expect } from '@jest/globals';
import { TIME } from './forms.js';
import { errorAnswer, type ModelCallers, pick } from './model-callers.js';
import { expectPage } from './model-pages.js';
import type { Ref } from './model-references.js';
import type { StepOf } from './model-steps.js';
import {
  type ModelAccount,
  type ModelKey,
  type ModelKeyFields,
  refusalOfUpdate,
  workspaceOf,
} from './reference-model.js';

const DEFAULT_LIMIT = 100;
const UPDATABLE = ['name', 'disabled', 'limit', 'limit_reset', 'include_byok_in_limit'] as const;
const UNUSED = Object.fromEntries(
  ['usage', 'byok_usage'].flatMap((kind) =>
    ['', '_daily', '_weekly', '_monthly'].map((window): [string, number] => [kind + window, 0]),
  ),
);

interface KeyAnswer {
  readonly data: {
    readonly hash: string;
    readonly created_at: string;
    readonly updated_at: string;
  };
  readonly key: string;
}

/** Takes steps about keys at the service and in the model. */
export class ModelKeys {
  constructor(private readonly callers: ModelCallers) {}

  async create({ caller, workspace, fields, bad }: StepOf<'create-key'>): Promise<void> {
    const { client, account, refusal } = this.callers.resolve(caller);
    const workspaceId = workspace && this.callers.workspaceId(workspace, account);
    const body = { ...fields, ...(workspaceId && { workspace_id: workspaceId }), ...bad };
    const answer = await client.post<KeyAnswer>('/v1/keys', body);
    const target = account && workspaceOf(account, workspaceId ?? defaultOf(account));
    if (!account || bad || !target) {
      expect(answer).toMatchObject(errorAnswer(refusal ?? 400));
      return;
    }
    const { data, key } = answer.body;
    const created: ModelKey = {
      account,
      hash: data.hash,
      createdAt: data.created_at,
      updatedAt: null,
      creator: fields.creator_user_id ?? account.owner,
      externalUser: fields.external?.user ?? null,
      expiresAt: iso(fields.expires_at),
      fields: {
        name: fields.name,
        disabled: false,
        limit: fields.limit ?? null,
        limit_reset: fields.limit_reset ?? null,
        include_byok_in_limit: fields.include_byok_in_limit === true,
        workspace_id: target.id,
      },
      isDeleted: false,
    };
    expect(answer.status).toBe(201);
    expect(data.created_at).toMatch(TIME);
    expect(key).toMatch(/^sk-v1-[0-9a-f]{64}$/);
    expect(answer.body).toEqual({ data: { ...recordOf(created), external_user: null }, key });
    account.keys.push(created);
  }

  async update({ caller, key: ref, workspace, fields, bad }: StepOf<'update-key'>): Promise<void> {
    const { client, account, refusal } = this.callers.resolve(caller);
    const key = this.#key(ref, account);
    const workspaceId = workspace && this.callers.workspaceId(workspace, account);
    const body = { ...fields, ...(workspaceId && { workspace_id: workspaceId }), ...bad };
    const answer = await client.patch<KeyAnswer>(pathOf(key), body);
    if (!account || bad) {
      expect(answer).toMatchObject(errorAnswer(refusal ?? 400));
      return;
    }
    const changes = accepted(fields, workspaceId);
    if (Object.keys(changes).length === 0) {
      const message = 'No update fields provided';
      expect(answer).toMatchObject({ status: 400, body: { error: { code: 400, message } } });
      return;
    }
    const refused = refusalOfUpdate(key, account, workspaceId);
    if (refused) {
      expect(answer).toMatchObject(errorAnswer(refused.status));
      for (const restriction of refused.missing ?? []) expect(answer.text).toContain(restriction);
      return;
    }
    if (key) this.#expectUpdated(key, changes, answer);
  }

  async changeExpiry(step: StepOf<'change-expiry'>): Promise<void> {
    const { caller, key: ref, expires_at, bad } = step;
    const { client, account, refusal } = this.callers.resolve(caller);
    const key = this.#key(ref, account);
    const answer = await client.put<KeyAnswer>(`${pathOf(key)}/expiry`, { expires_at, ...bad });
    if (!account || bad) expect(answer).toMatchObject(errorAnswer(refusal ?? 400));
    else if (!isThere(key, account)) expect(answer).toMatchObject(errorAnswer(404));
    else this.#expectUpdated(key, {}, answer, iso(expires_at));
  }

  async read({ caller, key: ref }: StepOf<'read-key' | 'delete-key'>): Promise<void> {
    const { client, account, refusal } = this.callers.resolve(caller);
    const key = this.#key(ref, account);
    const answer = await client.get(pathOf(key));
    if (!account) expect(answer).toMatchObject(errorAnswer(refusal ?? 401));
    else if (!isThere(key, account)) expect(answer).toMatchObject(errorAnswer(404));
    else expect(answer).toMatchObject({ status: 200, body: { data: recordOf(key) } });
  }

  async delete({ caller, key: ref }: StepOf<'read-key' | 'delete-key'>): Promise<void> {
    const { client, account, refusal } = this.callers.resolve(caller);
    const key = this.#key(ref, account);
    const answer = await client.send('DELETE', pathOf(key));
    if (!account) expect(answer).toMatchObject(errorAnswer(refusal ?? 401));
    else if (!isThere(key, account)) expect(answer).toMatchObject(errorAnswer(404));
    else {
      expect(answer.body).toEqual({ deleted: true });
      expect(answer.status).toBe(200);
      key.isDeleted = true;
    }
  }

  async verify({ caller, key: ref, workspace, bad }: StepOf<'verify-key'>): Promise<void> {
    const { client, account, refusal } = this.callers.resolve(caller);
    const key = this.#key(ref, account);
    const workspace_id = workspace && this.callers.workspaceId(workspace, account);
    const hash = key?.hash ?? 'f'.repeat(64);
    const asked = { hash, ...(workspace_id && { workspace_id }), ...bad };
    const answer = await client.post('/v1/keys/verify', asked);
    if (!account || bad) expect(answer).toMatchObject(errorAnswer(refusal ?? 400));
    else {
      const code = isThere(key, account) ? codeOf(key, workspace_id) : 'NOT_FOUND';
      expect(answer).toMatchObject({
        status: 200,
        body: {
          data: { valid: code === 'VALID', code, key: code === 'NOT_FOUND' ? null : { hash } },
        },
      });
    }
  }

  async list({ caller, workspace, query, bad }: StepOf<'list-keys'>): Promise<void> {
    const { client, account, refusal } = this.callers.resolve(caller);
    const workspaceId =
      workspace === undefined || workspace === 'all'
        ? workspace
        : this.callers.workspaceId(workspace, account);
    const asked = { ...query, ...(workspaceId && { workspace_id: workspaceId }), ...bad };
    const path = `/v1/keys?${new URLSearchParams(asked).toString()}`;
    const answer = await client.get(path);
    const known = workspaceId === undefined || workspaceId === 'all';
    const { creator_user_id: creator, external_user: externalUser } = query;
    const [before, from] = [iso(query.expires_before), iso(query.expires_after)];
    const filters = [creator, externalUser, query.expires_before].filter(
      (one) => one !== undefined,
    );
    const isBad = bad !== undefined || filters.length > 1 || (from !== null && before === null);
    if (!account || isBad || !(known || workspaceOf(account, workspaceId))) {
      expect(answer).toMatchObject(errorAnswer(refusal ?? 400));
      return;
    }
    const everywhere = workspaceId === 'all' || (workspaceId === undefined && filters.length > 0);
    const home = defaultOf(account);
    const matching = account.keys
      .filter(({ isDeleted }) => !isDeleted)
      .filter(({ fields }) => query.include_disabled === 'true' || !fields.disabled)
      .filter(({ fields }) => everywhere || fields.workspace_id === (workspaceId ?? home))
      .filter((key) => creator === undefined || key.creator === creator)
      .filter((key) => externalUser === undefined || key.externalUser === externalUser)
      .filter(({ expiresAt }) => before === null || isBetween(expiresAt, from, before))
      .reverse();
    if (before !== null) matching.reverse().sort(bySoonestExpiry);
    expectPage(path, answer, matching.map(recordOf), DEFAULT_LIMIT);
  }

  #key(ref: Ref, account: ModelAccount | undefined): ModelKey | undefined {
    const all = this.callers.parties.flatMap(({ account: { keys } }) => keys);
    return pick(ref, account?.keys ?? [], all);
  }

  #expectUpdated(
    key: ModelKey,
    changes: Partial<ModelKeyFields>,
    { status, body }: { readonly status: number; readonly body: KeyAnswer },
    expiresAt = key.expiresAt,
  ): void {
    const before = JSON.stringify([key.fields, key.expiresAt]);
    Object.assign(key.fields, changes);
    key.expiresAt = expiresAt;
    if (JSON.stringify([key.fields, key.expiresAt]) !== before) {
      expect(body.data.updated_at).toMatch(TIME);
      expect(body.data.updated_at >= (key.updatedAt ?? key.createdAt)).toBe(true);
      key.updatedAt = body.data.updated_at;
    }
    expect({ status, body }).toEqual({ status: 200, body: { data: recordOf(key) } });
  }
}

function pathOf(key: ModelKey | undefined): string {
  return `/v1/keys/${key?.hash ?? 'f'.repeat(64)}`;
}

function isThere(key: ModelKey | undefined, account: ModelAccount): key is ModelKey {
  return key?.account === account && !key.isDeleted;
}

/** Gives the expected code of a verification of an existing key. Nothing is spent. */
function codeOf({ fields, expiresAt }: ModelKey, workspaceId: string | undefined): string {
  if (fields.disabled) return 'DISABLED';
  if (expiresAt !== null && expiresAt < '2026') return 'EXPIRED';
  if (workspaceId !== undefined && workspaceId !== fields.workspace_id) return 'WRONG_WORKSPACE';
  return fields.limit === 0 ? 'LIMIT_EXCEEDED' : 'VALID';
}

function defaultOf(account: ModelAccount): string {
  return account.workspaces[0]?.id ?? '';
}

function accepted(
  fields: Readonly<Record<string, unknown>>,
  workspaceId: string | undefined,
): Partial<ModelKeyFields> {
  const given = UPDATABLE.filter((name) => name in fields).map((name) => [name, fields[name]]);
  const changes = Object.fromEntries(given) as Partial<ModelKeyFields>;
  return workspaceId === undefined ? changes : { ...changes, workspace_id: workspaceId };
}

function isBetween(time: string | null, from: string | null, before: string): boolean {
  return time !== null && time >= (from ?? '') && time < before;
}

function bySoonestExpiry({ expiresAt: one }: ModelKey, { expiresAt: other }: ModelKey): number {
  return Date.parse(one ?? '') - Date.parse(other ?? '');
}

function iso(time: unknown): string | null {
  return typeof time === 'string' ? new Date(time).toISOString() : null;
}

function recordOf(key: ModelKey): object {
  return {
    ...UNUSED,
    ...key.fields,
    hash: key.hash,
    label: key.fields.name,
    limit_remaining: key.fields.limit,
    created_at: key.createdAt,
    updated_at: key.updatedAt,
    expires_at: key.expiresAt,
    last_used_at: null,
    creator_user_id: key.creator,
    external_user: key.externalUser === null ? null : { user: key.externalUser },
  };
}
