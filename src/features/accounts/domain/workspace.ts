import { type OrderedMap, OrderedSet } from 'immutable';
import type { Happened } from '../../../kernel/event.js';
import type { Budget } from '../../budgets/domain/budget.js';
import type { WorkspaceBudgetEvent } from './budget.events.js';
import type { WorkspaceEvent } from './workspace.events.js';

type AnyWorkspaceEvent = Happened<WorkspaceEvent | WorkspaceBudgetEvent>;

/** A workspace, folded from its events, by aggregate and read model with the same functions. */
export interface WorkspaceRecord {
  readonly id: string;
  readonly name: string;
  /** The name of the workspace in paths, unique in the account. */
  readonly slug: string;
  readonly description: string | null;
  readonly restrictions: readonly string[];
  readonly is_default: boolean;
  /** The id of the user who created the workspace; null when the operator or the service did. */
  readonly created_by: string | null;
  /** ISO 8601 UTC, like `updated_at`. */
  readonly created_at: string;
  /** Time of the last change of the record; null before the first change. */
  readonly updated_at: string | null;
}

export interface Workspace extends WorkspaceRecord {
  /** The user ids of the members. Empty for the default workspace, which has all of the account. */
  readonly members: OrderedSet<string>;
  readonly budget: Budget | null;
}

export type Workspaces = OrderedMap<string, Workspace>;

type Created = Extract<Happened<WorkspaceEvent>, { type: 'WorkspaceCreated' }>;

export type RecordChanged = Extract<
  Happened<WorkspaceEvent>,
  {
    type:
      | 'WorkspaceRenamed'
      | 'WorkspaceSlugChanged'
      | 'WorkspaceDescriptionChanged'
      | 'WorkspaceRestricted';
  }
>;

export function newRecord({ data, metadata }: Created): WorkspaceRecord {
  const { workspace_id: id, account_id: _, ...fields } = data;
  return {
    id,
    ...fields,
    created_by: metadata.actor.user_id,
    created_at: metadata.occurred_at,
    updated_at: null,
  };
}

export function recordChanges({ type, data, metadata }: RecordChanged): Partial<WorkspaceRecord> {
  const updated_at = metadata.occurred_at;
  switch (type) {
    case 'WorkspaceRenamed':
      return { name: data.name, updated_at };
    case 'WorkspaceSlugChanged':
      return { slug: data.slug, updated_at };
    case 'WorkspaceDescriptionChanged':
      return { description: data.description, updated_at };
    case 'WorkspaceRestricted':
      return { restrictions: data.restrictions, updated_at };
    default:
      return type satisfies never;
  }
}

export function evolveWorkspaces(workspaces: Workspaces, event: AnyWorkspaceEvent): Workspaces {
  const { workspace_id: id } = event.data;
  if (event.type === 'WorkspaceCreated') {
    return workspaces.set(id, { budget: null, ...newRecord(event), members: OrderedSet() });
  }
  if (event.type === 'WorkspaceDeleted') return workspaces.delete(id);
  const workspace = workspaces.get(id);
  return workspace
    ? workspaces.set(id, { ...workspace, ...changesOf(workspace, event) })
    : workspaces;
}

function changesOf(
  workspace: Workspace,
  event: Exclude<AnyWorkspaceEvent, { type: 'WorkspaceCreated' | 'WorkspaceDeleted' }>,
): Partial<Workspace> {
  switch (event.type) {
    case 'WorkspaceMemberAdded':
      return { members: workspace.members.add(event.data.user_id) };
    case 'WorkspaceMemberRemoved':
      return { members: workspace.members.delete(event.data.user_id) };
    case 'WorkspaceBudgetSet':
      return { budget: event.data.budget };
    case 'WorkspaceBudgetRemoved':
      return { budget: null };
    case 'WorkspaceRenamed':
    case 'WorkspaceSlugChanged':
    case 'WorkspaceDescriptionChanged':
    case 'WorkspaceRestricted':
      return recordChanges(event);
    default:
      return event satisfies never;
  }
}
