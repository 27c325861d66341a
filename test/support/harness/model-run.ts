import { expect } from '@jest/globals';
import { type Command, CommandBus } from '@nestjs/cqrs';
import { AddMember, RemoveMember } from '../../../src/features/accounts/accounts.commands.js';
import { Refusal } from '../../../src/kernel/errors.js';
import type { HttpClient } from './http-client.js';
import { ModelCallers, type ModelParty } from './model-callers.js';
import { ModelEndUsers } from './model-end-users.js';
import { ModelKeys } from './model-keys.js';
import type { OperatorStep } from './model-operator-steps.js';
import type { Step } from './model-steps.js';
import { ModelWorkspaces } from './model-workspaces.js';
import { forgetMember, type ModelWorkspace, operatorRules } from './reference-model.js';
import { OPERATOR, type RunningApp } from './running-app.js';

/** Two organizations and an individual of one service, with their model. */
export class ModelRun {
  readonly #callers: ModelCallers;
  readonly #keys: ModelKeys;
  readonly #endUsers: ModelEndUsers;
  readonly #workspaces: ModelWorkspaces;

  private constructor(
    private readonly service: RunningApp,
    parties: readonly ModelParty[],
    apiKey: string,
  ) {
    this.#callers = new ModelCallers(parties, apiKey);
    this.#keys = new ModelKeys(this.#callers);
    this.#endUsers = new ModelEndUsers(this.#callers);
    this.#workspaces = new ModelWorkspaces(this.#callers);
  }

  /** Opens the accounts. @param apiKey the key string of any API key. */
  static async begin(service: RunningApp, apiKey: string): Promise<ModelRun> {
    const parties: ModelParty[] = [];
    for (const kind of ['organization', 'organization', 'individual'] as const) {
      const { accountId, defaultWorkspaceId, userId, client } = await service.openAccount(kind);
      const workspaces = [await asOpened(client, defaultWorkspaceId)];
      const members = new Set([userId]);
      const nothingYet = { endUsers: [], keys: [] };
      const account = { id: accountId, kind, owner: userId, members, workspaces, ...nothingYet };
      parties.push({ account, client });
    }
    return new ModelRun(service, parties, apiKey);
  }

  /** Takes a step at the service and in the model, and compares the answers. */
  take(step: Step): Promise<void> {
    switch (step.type) {
      case 'create-key':
        return this.#keys.create(step);
      case 'update-key':
        return this.#keys.update(step);
      case 'change-expiry':
        return this.#keys.changeExpiry(step);
      case 'read-key':
        return this.#keys.read(step);
      case 'verify-key':
        return this.#keys.verify(step);
      case 'delete-key':
        return this.#keys.delete(step);
      case 'list-keys':
        return this.#keys.list(step);
      case 'register':
        return this.#endUsers.register(step);
      case 'list':
        return this.#endUsers.list(step);
      case 'read-end-user':
      case 'update-end-user':
      case 'deactivate-end-user':
        return this.#endUsers.one(step);
      case 'open-workspace':
        return this.#workspaces.open(step);
      case 'change-workspace':
        return this.#workspaces.change(step);
      case 'read-workspace':
        return this.#workspaces.read(step);
      case 'delete-workspace':
        return this.#workspaces.delete(step);
      case 'list-members':
        return this.#workspaces.members(step);
      case 'list-workspaces':
        return this.#workspaces.list(step);
      case 'add-members':
      case 'remove-members':
        return this.#workspaces.changeMembers(step);
      case 'add-member':
      case 'remove-member':
        return this.#operate(step);
    }
  }

  async #operate(step: OperatorStep): Promise<void> {
    const { account } = this.#callers.party(step.account);
    // The owner has an id that occurs only in this account.
    const user = step.user === 'owner' ? account.owner : step.user;
    if (step.type === 'add-member') {
      const broken = operatorRules.addMember(account, user);
      const command = new AddMember(account.id, user, OPERATOR);
      if (await this.#done(command, broken)) account.members.add(user);
    } else {
      const broken = operatorRules.removeMember(account, user);
      const command = new RemoveMember(account.id, user, OPERATOR);
      if (await this.#done(command, broken)) forgetMember(account, user);
    }
  }

  /**
   * Whether a command succeeded. It must succeed if it breaks no rule; otherwise one of the broken
   * rules refuses it.
   */
  async #done(command: Command<unknown>, brokenRules: readonly string[]): Promise<boolean> {
    const outcome = await this.service.app
      .get(CommandBus)
      .execute(command)
      .then(
        // The addition of a member who is one already changes nothing, and says so by `false`.
        (result) => (result === false ? 'member-already-added' : 'done'),
        (error: unknown) => {
          if (error instanceof Refusal) return error.code;
          throw error;
        },
      );
    expect(brokenRules.length === 0 ? ['done'] : brokenRules).toContain(outcome);
    return outcome === 'done';
  }
}

/** Gives the workspace that an account was opened with. */
async function asOpened(client: HttpClient, id: string): Promise<ModelWorkspace> {
  const { body } = await client.get<{
    data: { name: string; slug: string; is_default: boolean; created_by: string | null };
  }>(`/v1/workspaces/${id}`);
  const { name, slug, is_default: isDefault, created_by: createdBy } = body.data;
  const rest = { description: null, restrictions: [], isChanged: false };
  return { id, name, slug, isDefault, createdBy, ...rest, members: new Set() };
}
