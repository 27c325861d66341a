import { expect } from '@jest/globals';
import { TIME } from './forms.js';
import type { HttpClient } from './http-client.js';
import { errorAnswer, type ModelCallers, UNKNOWN_ID } from './model-callers.js';
import { expectPage } from './model-pages.js';
import type { StepOf } from './model-steps.js';
import type { WorkspaceStep } from './model-workspace-steps.js';
import { changeWorkspace, type ModelAccount, type ModelWorkspace } from './reference-model.js';

const SLUG = /^(?=.{1,50}$)[a-z0-9]+(-[a-z0-9]+)*$/;
const DEFAULT_LIMIT = 50;

interface WorkspaceAnswer {
  readonly data: Omit<ModelWorkspace, 'members' | 'isDefault' | 'createdBy'>;
}

/** A caller, and the workspace that its step names in the path. */
interface Meeting {
  readonly client: HttpClient;
  readonly account: ModelAccount | undefined;
  readonly path: string;
  /** Undefined when it is unknown or belongs to another account. */
  readonly workspace: ModelWorkspace | undefined;
  /** The status for a caller without an account. */
  readonly refusal: number | undefined;
}

/** Takes steps about workspaces at the service and in the model. */
export class ModelWorkspaces {
  constructor(private readonly callers: ModelCallers) {}

  async open({ caller, fields, bad }: StepOf<'open-workspace'>): Promise<void> {
    const { client, account, refusal } = this.callers.resolve(caller);
    const answer = await client.post<WorkspaceAnswer>('/v1/workspaces', { ...fields, ...bad });
    if (!account || bad) {
      expect(answer).toMatchObject(errorAnswer(refusal ?? 400));
      return;
    }
    if (account.workspaces.some(({ slug }) => slug === fields.slug)) {
      expect(answer).toMatchObject(errorAnswer(409));
      return;
    }
    const { id, slug } = answer.body.data;
    const opened: ModelWorkspace = {
      id,
      isDefault: false,
      createdBy: account.owner,
      name: fields.name,
      slug: fields.slug ?? slug,
      description: fields.description ?? null,
      restrictions: fields.restrictions ?? [],
      isChanged: false,
      members: new Set(),
    };
    expect(slug).toMatch(SLUG);
    expect(account.workspaces.map((known) => known.slug)).not.toContain(slug);
    expect(answer).toMatchObject({ status: 201, body: { data: recordOf(opened) } });
    account.workspaces.push(opened);
  }

  async change(step: StepOf<'change-workspace'>): Promise<void> {
    const { client, account, path, workspace, refusal } = this.#meeting(step);
    const { fields, bad } = step;
    const answer = await client.patch(path, { ...fields, ...bad });
    const { slug } = fields;
    const nothing = Object.keys(fields).length === 0;
    if (!account || bad || nothing) expect(answer).toMatchObject(errorAnswer(refusal ?? 400));
    else if (!workspace) expect(answer).toMatchObject(errorAnswer(404));
    else if (account.workspaces.some((known) => known !== workspace && known.slug === slug)) {
      expect(answer).toMatchObject(errorAnswer(409));
    } else {
      changeWorkspace(workspace, fields);
      expect(answer).toMatchObject({ status: 200, body: { data: recordOf(workspace) } });
    }
  }

  async read(step: StepOf<'read-workspace' | 'delete-workspace' | 'list-members'>): Promise<void> {
    const { client, account, path, workspace, refusal } = this.#meeting(step);
    const answer = await client.get(path);
    if (!account) expect(answer).toMatchObject(errorAnswer(refusal ?? 401));
    else if (!workspace) expect(answer).toMatchObject(errorAnswer(404));
    else expect(answer).toMatchObject({ status: 200, body: { data: recordOf(workspace) } });
  }

  async delete(
    step: StepOf<'read-workspace' | 'delete-workspace' | 'list-members'>,
  ): Promise<void> {
    const { client, account, path, workspace, refusal } = this.#meeting(step);
    const answer = await client.send('DELETE', path);
    if (!account) expect(answer).toMatchObject(errorAnswer(refusal ?? 401));
    else if (!workspace) expect(answer).toMatchObject(errorAnswer(404));
    else if (workspace.isDefault) expect(answer).toMatchObject(errorAnswer(403));
    else if (holdsKeys(account, workspace)) expect(answer).toMatchObject(errorAnswer(409));
    else {
      expect(answer).toMatchObject({ status: 200, body: { deleted: true } });
      account.workspaces = account.workspaces.filter((known) => known !== workspace);
    }
  }

  async list({ caller, query, bad }: StepOf<'list-workspaces'>): Promise<void> {
    const { client, account, refusal } = this.callers.resolve(caller);
    const path = `/v1/workspaces?${new URLSearchParams({ ...query, ...bad }).toString()}`;
    const answer = await client.get(path);
    if (!account || bad) {
      expect(answer).toMatchObject(errorAnswer(refusal ?? 400));
      return;
    }
    expectPage(path, answer, account.workspaces.map(recordOf), DEFAULT_LIMIT);
  }

  async members(
    step: StepOf<'read-workspace' | 'delete-workspace' | 'list-members'>,
  ): Promise<void> {
    const { client, account, path, workspace, refusal } = this.#meeting(step);
    const answer = await client.get<{ data: unknown[] }>(`${path}/members`);
    if (!account) expect(answer).toMatchObject(errorAnswer(refusal ?? 401));
    else if (!workspace) expect(answer).toMatchObject(errorAnswer(404));
    else {
      const members = [...(workspace.isDefault ? account : workspace).members];
      expect(answer).toMatchObject({ status: 200, body: { total_count: members.length } });
      expect(answer.body.data).toHaveLength(members.length);
      expect(answer.body.data).toEqual(
        expect.arrayContaining(members.map((user_id) => ({ user_id }))),
      );
    }
  }

  async changeMembers(step: StepOf<'add-members' | 'remove-members'>): Promise<void> {
    const { client, account, path, workspace, refusal } = this.#meeting(step);
    const users = step.users.map((user) => (user === 'owner' ? (account?.owner ?? user) : user));
    const adds = step.type === 'add-members';
    const answer = await client.post(`${path}/members/${adds ? 'add' : 'remove'}`, {
      user_ids: users,
    });
    if (!account) expect(answer).toMatchObject(errorAnswer(refusal ?? 401));
    else if (!workspace) expect(answer).toMatchObject(errorAnswer(404));
    else if (workspace.isDefault) expect([400, 403]).toContain(answer.status);
    else if (!users.every((user) => account.members.has(user))) {
      expect(answer).toMatchObject(errorAnswer(400));
    } else {
      const changed = [...new Set(users)].filter((user) => workspace.members.has(user) !== adds);
      for (const user of changed) {
        if (adds) workspace.members.add(user);
        else workspace.members.delete(user);
      }
      const count = adds ? 'added_count' : 'removed_count';
      expect(answer).toMatchObject({ status: 200, body: { [count]: changed.length } });
    }
  }

  #meeting(step: Extract<WorkspaceStep, { by: unknown }>): Meeting {
    const { client, account, refusal } = this.callers.resolve(step.caller);
    const named = this.callers.workspace(step.workspace, account);
    // The caller's account may have the same slug as another account.
    const workspace = account?.workspaces.find((known) =>
      step.by === 'id' ? known === named : known.slug === named?.slug,
    );
    const name = (step.by === 'id' ? named?.id : named?.slug) ?? UNKNOWN_ID;
    return { client, account, path: `/v1/workspaces/${name}`, workspace, refusal };
  }
}

function holdsKeys(account: ModelAccount, workspace: ModelWorkspace): boolean {
  return account.keys.some(
    ({ fields, isDeleted }) => !isDeleted && fields.workspace_id === workspace.id,
  );
}

function recordOf(workspace: ModelWorkspace): object {
  const { id, name, slug, description, isDefault, createdBy } = workspace;
  return {
    id,
    name,
    slug,
    description,
    restrictions: [...workspace.restrictions].sort(),
    is_default: isDefault,
    created_by: createdBy,
    created_at: expect.stringMatching(TIME),
    updated_at: workspace.isChanged ? expect.stringMatching(TIME) : null,
  };
}
