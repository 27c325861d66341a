import { type Answer, answered, answeredIfAny, api, type Schemas } from '../../api/client.js';

export type BudgetFields = Schemas['Budget'];

/** A budget. The common one has the fields that are set alone. */
export type Budget = BudgetFields & Partial<Schemas['EndUserBudget']>;

/** The calls that read, set and remove a budget. All three throw a Failure. */
export interface BudgetRoutes<Shown extends Budget = Budget> {
  readonly read: () => Promise<Answer<{ readonly data: Shown } | null>>;
  readonly set: (body: BudgetFields) => Promise<unknown>;
  readonly remove: () => Promise<unknown>;
}

export function budgetOfWorkspace(workspace: string): BudgetRoutes<Schemas['SpentBudget']> {
  const params = { path: { workspace } };
  return {
    read: () => answeredIfAny(api.GET('/v1/workspaces/{workspace}/budget', { params })),
    set: (body) => answered(api.PUT('/v1/workspaces/{workspace}/budget', { params, body })),
    remove: () => answered(api.DELETE('/v1/workspaces/{workspace}/budget', { params })),
  };
}

export function budgetOfEndUser(user: string): BudgetRoutes<Schemas['EndUserBudget']> {
  const params = { path: { user } };
  return {
    read: () => answeredIfAny(api.GET('/v1/end-users/{user}/budget', { params })),
    set: (body) => answered(api.PUT('/v1/end-users/{user}/budget', { params, body })),
    remove: () => answered(api.DELETE('/v1/end-users/{user}/budget', { params })),
  };
}

/** The budget of each end user who has none of their own. */
export const commonBudget: BudgetRoutes = {
  read: () => answeredIfAny(api.GET('/v1/end-user-budget')),
  set: (body) => answered(api.PUT('/v1/end-user-budget', { body })),
  remove: () => answered(api.DELETE('/v1/end-user-budget')),
};
