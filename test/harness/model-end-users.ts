import { expect } from '@jest/globals';
import { errorAnswer, type ModelCallers } from './model-callers.js';
import {
  type ByPathStep,
  type ListStep,
  NOBODY,
  type RegisterStep,
} from './model-end-user-steps.js';
import type { ModelAccount } from './reference-model.js';

const DEFAULT_LIMIT = 50;
const METHODS = {
  'read-end-user': 'GET',
  'update-end-user': 'PATCH',
  'deactivate-end-user': 'DELETE',
} as const;

/** Takes the steps that concern end users, at the service and in the model. */
export class ModelEndUsers {
  constructor(private readonly callers: ModelCallers) {}

  async register({ caller, body, good }: RegisterStep): Promise<void> {
    const { client, account, refusal } = this.callers.resolve(caller);
    const answer = await client.post('/v1/end-users', body);
    const user = String(body.user);
    if (!account || !good) expect(answer).toMatchObject(errorAnswer(refusal ?? 400));
    else if (account.kind === 'individual') expect(answer).toMatchObject(errorAnswer(404));
    else if (account.endUsers.has(user)) expect(answer).toMatchObject(errorAnswer(409));
    else {
      expect(answer.status).toBe(201);
      expect(answer.body).toEqual({ data: recordOf(user, true) });
      account.endUsers.set(user, true);
    }
  }

  /** Reads, updates or deactivates one. */
  async byPath(step: ByPathStep): Promise<void> {
    const { caller, user, routes, body } = step;
    const { client, account, refusal } = this.callers.resolve(caller);
    const method = METHODS[step.type];
    const answer = await client.send(method, `/v1/${routes}/${encodeURIComponent(user)}`, {
      ...(method === 'PATCH' && { body }),
    });
    const refused = account ? refusalByPath(account, step) : refusal;
    if (!account || refused !== undefined) {
      expect(answer).toMatchObject(errorAnswer(refused ?? 0));
      return;
    }
    if (method === 'DELETE') account.endUsers.set(user, false);
    if (method === 'PATCH') account.endUsers.set(user, body.is_active === true);
    const data = recordOf(user, account.endUsers.get(user) === true);
    const expected = method === 'DELETE' ? { status: 204, text: '' } : { status: 200 };
    expect(answer).toMatchObject(expected);
    expect(answer.body).toEqual(method === 'DELETE' ? undefined : { data });
  }

  async list({ caller, query, good }: ListStep): Promise<void> {
    const { client, account, refusal } = this.callers.resolve(caller);
    const answer = await client.get(`/v1/end-users?${new URLSearchParams(query).toString()}`);
    if (!account || !good) {
      expect(answer).toMatchObject(errorAnswer(refusal ?? 400));
      return;
    }
    if (account.kind === 'individual') {
      expect(answer).toMatchObject(errorAnswer(404));
      return;
    }
    const { user, offset = '0', limit = String(DEFAULT_LIMIT), include_inactive } = query;
    const matching = [...account.endUsers].filter(
      ([known, active]) =>
        (user === undefined || known === user) && (active || include_inactive === 'true'),
    );
    const page = matching.slice(Number(offset), Number(offset) + Number(limit));
    expect(answer.status).toBe(200);
    const data = page.map(([known, active]) => recordOf(known, active));
    expect(answer.body).toEqual({ data, total_count: matching.length });
  }
}

/** What stands against a request of one end user by an account, the first of the rules in their order. */
function refusalByPath(account: ModelAccount, step: ByPathStep): number | undefined {
  if (NOBODY.includes(step.user)) return 400;
  const { is_active, ...others } = step.body;
  const goodBody = typeof is_active === 'boolean' && Object.keys(others).length === 0;
  if (step.type === 'update-end-user' && !goodBody) return 400;
  return account.endUsers.has(step.user) ? undefined : 404;
}

function recordOf(user: string, is_active: boolean): object {
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  return { user, is_active, created_at: time, updated_at: time };
}
