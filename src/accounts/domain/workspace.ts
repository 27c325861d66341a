import { type OrderedMap, OrderedSet } from 'immutable';
import type { Happened } from '../../kernel/event.js';
import { cutTo } from '../../kernel/text.js';
import { sizeOfRecord } from './account-size.js';
import { keptRestriction } from './kept-restriction.js';
import type { WorkspaceEvent } from './workspace.events.js';

/** A workspace as callers see it (docs/api.md 2.6). */
export interface WorkspaceRecord {
  readonly id: string;
  readonly name: string;
  /** Names it within its account, as the id does everywhere. */
  readonly slug: string;
  readonly description: string | null;
  readonly restrictions: readonly string[];
  readonly is_default: boolean;
  /** Null when it was not a user who made it. */
  readonly created_by: string | null;
  /** ISO 8601 UTC, as is the other time. */
  readonly created_at: string;
  /** Of the last change of the record; null before the first. */
  readonly updated_at: string | null;
}

/** As it is decided on. Of restrictions that are too long it keeps what a comparison needs (`kept-restriction.ts`). */
export interface Workspace extends WorkspaceRecord {
  /** Of the default workspace these are not kept: every member of the account is one. */
  readonly members: OrderedSet<string>;
  /** Roughly how many bytes of memory it takes without its members. */
  readonly size: number;
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

/** The record of a workspace that was just made. The aggregate and its read model fold it alike. */
export function newRecord({ data, metadata }: Created): WorkspaceRecord {
  const { workspace_id: id, account_id: _, ...given } = data;
  return {
    id,
    ...given,
    created_by: metadata.actor.user_id,
    created_at: metadata.occurred_at,
    updated_at: null,
  };
}

/** The record alone, for callers. */
export function recordOf(workspace: WorkspaceRecord): WorkspaceRecord {
  const { id, name, slug, description, restrictions, is_default } = workspace;
  const { created_by, created_at, updated_at } = workspace;
  return {
    id,
    name,
    slug,
    description,
    restrictions,
    is_default,
    created_by,
    created_at,
    updated_at,
  };
}

/** What a list shows of restrictions: as many as a workspace may have now, each as long as it may be. */
export const MOST_RESTRICTIONS = 32;
export const RESTRICTION_MAX_LENGTH = 64;
const MORE = '…';

/** The record as a list shows it: restrictions from before that are more or longer than they may be now are cut. */
export function listedRecordOf(workspace: WorkspaceRecord): WorkspaceRecord {
  const all = workspace.restrictions.map((text) => cutTo(text, RESTRICTION_MAX_LENGTH));
  const restrictions =
    all.length > MOST_RESTRICTIONS ? [...all.slice(0, MOST_RESTRICTIONS - 1), MORE] : all;
  return recordOf({ ...workspace, restrictions });
}

/** What an event changes in the record. */
export function changedRecord(event: RecordChanged): Partial<WorkspaceRecord> {
  return { ...changedField(event), updated_at: event.metadata.occurred_at };
}

function changedField({ type, data }: RecordChanged): Partial<WorkspaceRecord> {
  switch (type) {
    case 'WorkspaceRenamed':
      return { name: data.name };
    case 'WorkspaceSlugChanged':
      return { slug: data.slug };
    case 'WorkspaceDescriptionChanged':
      return { description: data.description };
    case 'WorkspaceRestricted':
      return { restrictions: data.restrictions };
  }
}

/** The workspaces of an account after an event of one of them. */
export function evolveWorkspaces(
  workspaces: Workspaces,
  event: Happened<WorkspaceEvent>,
): Workspaces {
  const { workspace_id: id } = event.data;
  if (event.type === 'WorkspaceCreated') {
    const restrictions = event.data.restrictions.map(keptRestriction);
    const record = { ...newRecord(event), restrictions };
    const size = sizeOfRecord(record);
    return workspaces.set(id, { ...record, members: OrderedSet(), size });
  }
  if (event.type === 'WorkspaceDeleted') return workspaces.delete(id);
  const workspace = workspaces.get(id);
  return workspace
    ? workspaces.set(id, { ...workspace, ...changed(workspace, event) })
    : workspaces;
}

function changed(
  workspace: Workspace,
  event: Exclude<Happened<WorkspaceEvent>, { type: 'WorkspaceCreated' | 'WorkspaceDeleted' }>,
): Partial<Workspace> {
  switch (event.type) {
    case 'WorkspaceMemberAdded':
      return { members: workspace.members.add(event.data.user_id) };
    case 'WorkspaceMemberRemoved':
      return { members: workspace.members.delete(event.data.user_id) };
    case 'WorkspaceDeletionStarted':
    case 'WorkspaceDeletionCancelled':
      return {};
    case 'WorkspaceRenamed':
    case 'WorkspaceSlugChanged':
    case 'WorkspaceDescriptionChanged':
    case 'WorkspaceRestricted': {
      const changes = changedRecord(event);
      const restrictions = changes.restrictions?.map(keptRestriction) ?? workspace.restrictions;
      const record = { ...recordOf(workspace), ...changes, restrictions };
      return { ...record, size: sizeOfRecord(record) };
    }
  }
}
