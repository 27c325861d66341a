import { expect } from '@jest/globals';
import { type Command, CommandBus } from '@nestjs/cqrs';
import { AddMember } from '../../src/accounts/add-member/add-member.command.js';
import { AddWorkspaceMember } from '../../src/accounts/add-workspace-member/add-workspace-member.command.js';
import { CreateWorkspace } from '../../src/accounts/create-workspace/create-workspace.command.js';
import { RemoveMember } from '../../src/accounts/remove-member/remove-member.command.js';
import { RemoveWorkspaceMember } from '../../src/accounts/remove-workspace-member/remove-workspace-member.command.js';
import { RestrictWorkspace } from '../../src/accounts/restrict-workspace/restrict-workspace.command.js';
import { Refusal } from '../../src/kernel/errors.js';
import { ModelCallers, type ModelParty } from './model-callers.js';
import { ModelEndUsers } from './model-end-users.js';
import { ModelKeys } from './model-keys.js';
import type { EndUserStep } from './model-end-user-steps.js';
import type { Step } from './model-steps.js';
import { forgetMember, operatorRules, workspaceOf } from './reference-model.js';
import { OPERATOR, type RunningApp } from './running-app.js';

/** Two organizations and an individual of one service, and the model of them. */
export class ModelRun {
  readonly #callers: ModelCallers;
  readonly #keys: ModelKeys;
  readonly #endUsers: ModelEndUsers;

  private constructor(
    private readonly service: RunningApp,
    parties: readonly ModelParty[],
    apiKey: string,
  ) {
    this.#callers = new ModelCallers(parties, apiKey);
    this.#keys = new ModelKeys(this.#callers);
    this.#endUsers = new ModelEndUsers(this.#callers);
  }

  /** @param apiKey the string of any API key. */
  static async begin(service: RunningApp, apiKey: string): Promise<ModelRun> {
    const parties: ModelParty[] = [];
    for (const kind of ['organization', 'organization', 'individual'] as const) {
      const { accountId, defaultWorkspaceId, userId, client } = await service.openAccount(kind);
      const members = new Set([userId]);
      const workspace = { id: defaultWorkspaceId, isDefault: true, restrictions: [] };
      const workspaces = [{ ...workspace, members: new Set<string>() }];
      const endUsers = new Map<string, boolean>();
      const account = { id: accountId, kind, owner: userId, members, workspaces, endUsers };
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
      case 'register':
        return this.#endUsers.register(step);
      case 'list':
        return this.#endUsers.list(step);
      case 'read-end-user':
      case 'update-end-user':
      case 'deactivate-end-user':
        return this.#endUsers.byPath(step);
      case 'add-member':
      case 'remove-member':
      case 'create-workspace':
      case 'restrict-workspace':
      case 'add-workspace-member':
      case 'remove-workspace-member':
        return this.#operate(step);
    }
  }

  async #operate(
    step: Exclude<Step, { type: 'create-key' | 'update-key' | EndUserStep['type'] }>,
  ): Promise<void> {
    const { account } = this.#callers.party(step.account);
    // The owner is known by an id of the account's own.
    const user =
      'user' in step && step.user === 'owner' ? account.owner : 'user' in step ? step.user : '';
    const id = 'workspace' in step ? this.#callers.workspaceId(step.workspace, account) : '';
    const workspace = workspaceOf(account, id);
    switch (step.type) {
      case 'add-member': {
        const broken = operatorRules.addMember(account, user);
        if (await this.#done(new AddMember(account.id, user, OPERATOR), broken)) {
          account.members.add(user);
        }
        return;
      }
      case 'remove-member': {
        const broken = operatorRules.removeMember(account, user);
        if (await this.#done(new RemoveMember(account.id, user, OPERATOR), broken)) {
          forgetMember(account, user);
        }
        return;
      }
      case 'create-workspace': {
        const { restrictions } = step;
        const command = new CreateWorkspace(
          account.id,
          { name: 'Another', restrictions },
          OPERATOR,
        );
        const { id } = await this.service.app.get(CommandBus).execute(command);
        const members = new Set<string>();
        account.workspaces.push({ id, isDefault: false, restrictions, members });
        return;
      }
      case 'restrict-workspace': {
        const { restrictions } = step;
        const command = new RestrictWorkspace(account.id, id, restrictions, OPERATOR);
        const done = await this.#done(command, operatorRules.restrict(account, id));
        if (done && workspace) workspace.restrictions = restrictions;
        return;
      }
      case 'add-workspace-member': {
        const broken = operatorRules.addWorkspaceMember(account, id, user);
        const command = new AddWorkspaceMember(account.id, id, user, OPERATOR);
        if (await this.#done(command, broken)) workspace?.members.add(user);
        return;
      }
      case 'remove-workspace-member': {
        const broken = operatorRules.removeWorkspaceMember(account, id, user);
        const command = new RemoveWorkspaceMember(account.id, id, user, OPERATOR);
        if (await this.#done(command, broken)) workspace?.members.delete(user);
      }
    }
  }

  /** Whether a command was done, which it must be when it breaks no rule; else one of those refuses it. */
  async #done(command: Command<unknown>, brokenRules: readonly string[]): Promise<boolean> {
    const outcome = await this.service.app
      .get(CommandBus)
      .execute(command)
      .then(
        () => 'done',
        (error: unknown) => {
          if (error instanceof Refusal) return error.code;
          throw error;
        },
      );
    expect(brokenRules.length === 0 ? ['done'] : brokenRules).toContain(outcome);
    return outcome === 'done';
  }
}
