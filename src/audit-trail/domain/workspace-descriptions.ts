import type { WorkspaceEvent } from '../../accounts/domain/workspace.events.js';
import { changed, type Descriptions, set } from './description.js';

const target = ({ workspace_id }: { readonly workspace_id: string }): string => workspace_id;

export const workspaceDescriptions: Descriptions<WorkspaceEvent> = {
  WorkspaceCreated: {
    action: 'workspace.created',
    target,
    name: ({ name }) => name,
    changes: ({ data: { account_id: _, workspace_id: __, ...values } }) => set(values),
  },
  WorkspaceRenamed: {
    action: 'workspace.renamed',
    target,
    name: ({ name }) => name,
    changes: ({ data: { previous_name, name } }) => changed('name', previous_name, name),
  },
  WorkspaceSlugChanged: {
    action: 'workspace.slug-changed',
    target,
    changes: ({ data: { previous_slug, slug } }) => changed('slug', previous_slug, slug),
  },
  WorkspaceDescriptionChanged: {
    action: 'workspace.description-changed',
    target,
    changes: ({ data: { previous_description, description } }) =>
      changed('description', previous_description, description),
  },
  WorkspaceRestricted: {
    action: 'workspace.restricted',
    target,
    changes: ({ data: { previous_restrictions, restrictions } }) =>
      changed('restrictions', previous_restrictions, restrictions),
  },
  WorkspaceMemberAdded: {
    action: 'workspace.member-added',
    target,
    changes: ({ data: { user_id } }) => set({ user_id }),
  },
  WorkspaceMemberRemoved: {
    action: 'workspace.member-removed',
    target,
    changes: ({ data: { user_id } }) => changed('user_id', user_id, null),
  },
  WorkspaceDeletionStarted: { action: 'workspace.deletion-started', target, changes: () => [] },
  WorkspaceDeletionCancelled: {
    action: 'workspace.deletion-cancelled',
    target,
    changes: () => [],
  },
  WorkspaceDeleted: {
    action: 'workspace.deleted',
    target,
    changes: () => changed('deleted', false, true),
  },
};
