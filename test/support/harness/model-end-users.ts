import { expect } from '@jest/globals';
import { TIME } from './forms.js';
import { errorAnswer, type ModelCallers } from './model-callers.js';
import { expectPage } from './model-pages.js';
import type { StepOf } from './model-steps.js';
import type { ModelEndUser } from './reference-model.js';

const DEFAULT_LIMIT = 50;

/** Takes steps about end users at the service and in the model. */
export class ModelEndUsers {
  constructor(private readonly callers: ModelCallers) {}

  async register({ caller, user, bad }: StepOf<'register'>): Promise<void> {
    const { client, account, refusal } = this.callers.resolve(caller);
    const answer = await client.post('/v1/end-users', { user, ...bad });
    if (!account || bad) expect(answer).toMatchObject(errorAnswer(refusal ?? 400));
    else if (account.kind === 'individual') expect(answer).toMatchObject(errorAnswer(404));
    else if (account.endUsers.some((known) => known.user === user))
      expect(answer).toMatchObject(errorAnswer(409));
    else {
      expect(answer.status).toBe(201);
      const registered = { user, isActive: true };
      expect(answer.body).toEqual({ data: recordOf(registered) });
      account.endUsers.push(registered);
    }
  }

  async list({ caller, query, bad }: StepOf<'list'>): Promise<void> {
    const { client, account, refusal } = this.callers.resolve(caller);
    const path = `/v1/end-users?${new URLSearchParams({ ...query, ...bad }).toString()}`;
    const answer = await client.get(path);
    if (!account || bad) {
      expect(answer).toMatchObject(errorAnswer(refusal ?? 400));
      return;
    }
    if (account.kind === 'individual') {
      expect(answer).toMatchObject(errorAnswer(404));
      return;
    }
    const { user } = query;
    const matching = account.endUsers
      .filter((known) => user === undefined || known.user === user)
      .filter(({ isActive }) => isActive || query.include_inactive === 'true');
    expectPage(path, answer, matching.map(recordOf), DEFAULT_LIMIT);
  }

  async one(
    step: StepOf<'read-end-user' | 'deactivate-end-user' | 'update-end-user'>,
  ): Promise<void> {
    const { client, account, refusal } = this.callers.resolve(step.caller);
    const path = `/v1/end-users/${encodeURIComponent(step.user)}`;
    const answer = await (step.type === 'read-end-user'
      ? client.get(path)
      : step.type === 'update-end-user'
        ? client.patch(path, { is_active: step.is_active, ...step.bad })
        : client.send('DELETE', path));
    const known = account?.endUsers.find(({ user }) => user === step.user);
    const isBad = step.type === 'update-end-user' && step.bad !== undefined;
    if (!account || isBad) expect(answer).toMatchObject(errorAnswer(refusal ?? 400));
    else if (!known) expect(answer).toMatchObject(errorAnswer(404));
    else if (step.type === 'deactivate-end-user') {
      known.isActive = false;
      expect(answer).toMatchObject({ status: 204, text: '' });
    } else {
      if (step.type === 'update-end-user') known.isActive = step.is_active;
      expect(answer).toMatchObject({ status: 200, body: { data: recordOf(known) } });
    }
  }
}

function recordOf({ user, isActive }: ModelEndUser): object {
  const time = expect.stringMatching(TIME);
  return { user, is_active: isActive, created_at: time, updated_at: time };
}
