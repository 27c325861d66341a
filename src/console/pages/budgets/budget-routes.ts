import { type Answer, answered, api } from '../../api/client.js';
import { Failure } from '../../api/failure.js';
import type { components } from '../../api/openapi.js';

type Schemas = components['schemas'];
export type BudgetFields = Schemas['Budget'];

/** A budget. The common one has the fields that are set alone. */
export type Budget = BudgetFields & Partial<Schemas['EndUserBudget']>;

/** The calls that read, set and remove a budget. All three throw a Failure. */
export interface BudgetRoutes<Shown extends Budget = Budget> {
  readonly read: (signal: AbortSignal) => Promise<Answer<{ readonly data: Shown }>>;
  readonly set: (body: BudgetFields) => Promise<unknown>;
  readonly remove: () => Promise<unknown>;
}

export function budgetOfWorkspace(workspace: string): BudgetRoutes<Schemas['SpentBudget']> {
  const params = { path: { workspace } };
  return {
    read: (signal) => answered(api.GET('/v1/workspaces/{workspace}/budget', { params, signal })),
    set: (body) => answered(api.PUT('/v1/workspaces/{workspace}/budget', { params, body })),
    remove: () => answered(api.DELETE('/v1/workspaces/{workspace}/budget', { params })),
  };
}

export function budgetOfEndUser(user: string): BudgetRoutes<Schemas['EndUserBudget']> {
  const params = { path: { user } };
  return {
    read: (signal) => answered(api.GET('/v1/end-users/{user}/budget', { params, signal })),
    set: (body) => answered(api.PUT('/v1/end-users/{user}/budget', { params, body })),
    remove: () => answered(api.DELETE('/v1/end-users/{user}/budget', { params })),
  };
}

/** The budget of each end user who has none of their own. */
export const commonBudget: BudgetRoutes = {
  read: (signal) => answered(api.GET('/v1/end-user-budget', { signal })),
  set: (body) => answered(api.PUT('/v1/end-user-budget', { body })),
  remove: () => answered(api.DELETE('/v1/end-user-budget')),
};

/** Reads a budget. The value is null where there is none. */
export async function readIfAny<Shown extends Budget>(
  { read }: BudgetRoutes<Shown>,
  signal: AbortSignal,
): Promise<Answer<{ readonly data: Shown | null }>> {
  try {
    return await read(signal);
  } catch (thrown) {
    const reason = thrown instanceof Failure ? thrown.details.reason : undefined;
    if (reason === 'no-budget') return { value: { data: null }, isStale: false };
    throw thrown;
  }
}
