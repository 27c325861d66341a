import { expect } from '@jest/globals';
import { errorAnswer, type ModelCallers } from './model-callers.js';
import type { Step } from './model-steps.js';

const DEFAULT_LIMIT = 50;

type StepOf<Type extends Step['type']> = Extract<Step, { type: Type }>;

/** Takes the steps that concern end users, at the service and in the model. */
export class ModelEndUsers {
  constructor(private readonly callers: ModelCallers) {}

  async register({ caller, body, good }: StepOf<'register'>): Promise<void> {
    const { client, account, refusal } = this.callers.resolve(caller);
    const answer = await client.post('/v1/end-users', body);
    const user = String(body.user);
    if (!account || !good) expect(answer).toMatchObject(errorAnswer(refusal ?? 400));
    else if (account.kind === 'individual') expect(answer).toMatchObject(errorAnswer(404));
    else if (account.endUsers.includes(user)) expect(answer).toMatchObject(errorAnswer(409));
    else {
      expect(answer.status).toBe(201);
      expect(answer.body).toEqual({ data: recordOf(user) });
      account.endUsers.push(user);
    }
  }

  async list({ caller, query, good }: StepOf<'list'>): Promise<void> {
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
    const { user, offset = '0', limit = String(DEFAULT_LIMIT) } = query;
    const matching = account.endUsers.filter((known) => user === undefined || known === user);
    const page = matching.slice(Number(offset), Number(offset) + Number(limit));
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ data: page.map(recordOf), total_count: matching.length });
  }
}

function recordOf(user: string): object {
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  return { user, is_active: true, created_at: time, updated_at: time };
}
