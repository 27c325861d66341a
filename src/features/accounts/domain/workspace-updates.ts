import { Refusal } from '../../../kernel/errors.js';
import { type AccountState, requireAccount } from './account.js';
import { asSet, requireWorkspace, slugsOf } from './workspace.decisions.js';
import type { WorkspaceEvent } from './workspace.events.js';
import type { Workspace, WorkspaceRecord } from './workspace.js';

type UpdatableField = 'name' | 'slug' | 'description' | 'restrictions';

export type WorkspaceChanges = Partial<Pick<WorkspaceRecord, UpdatableField>>;

/**
 * The functions that make the event of an update, by field, in the order of the events. The body of
 * PATCH has exactly these fields, so a field that is missing here cannot be updated.
 */
const EVENT_OF: {
  readonly [Field in UpdatableField]: (
    workspace: Workspace,
    value: WorkspaceRecord[Field],
  ) => WorkspaceEvent;
} = {
  name: ({ id: workspace_id, name: previous_name }, name) => ({
    type: 'WorkspaceRenamed',
    data: { workspace_id, name, previous_name },
  }),
  slug: ({ id: workspace_id, slug: previous_slug }, slug) => ({
    type: 'WorkspaceSlugChanged',
    data: { workspace_id, slug, previous_slug },
  }),
  description: ({ id: workspace_id, description: previous_description }, description) => ({
    type: 'WorkspaceDescriptionChanged',
    data: { workspace_id, description, previous_description },
  }),
  restrictions: ({ id: workspace_id, restrictions: previous }, restrictions) => ({
    type: 'WorkspaceRestricted',
    data: {
      workspace_id,
      restrictions: [...restrictions],
      previous_restrictions: [...previous],
    },
  }),
};

export const CHANGEABLE = Object.keys(EVENT_OF) as readonly UpdatableField[];

/**
 * Returns an event for each field that changes; none if all have their value (docs/api.md 4.2).
 * @throws Refusal when there is no such workspace, or another workspace has the slug.
 */
export function updateWorkspace(
  state: AccountState,
  idOrSlug: string,
  { restrictions, ...others }: WorkspaceChanges,
): WorkspaceEvent[] {
  const account = requireAccount(state);
  const workspace = requireWorkspace(account, idOrSlug);
  const { slug = workspace.slug } = others;
  if (slug !== workspace.slug && slugsOf(account).has(slug)) {
    throw new Refusal('workspace-slug-taken');
  }
  const changes = { ...others, ...(restrictions && { restrictions: asSet(restrictions) }) };
  return CHANGEABLE.flatMap((field) => changeField(workspace, field, changes));
}

function changeField<Field extends UpdatableField>(
  workspace: Workspace,
  field: Field,
  changes: Partial<Pick<WorkspaceRecord, Field>>,
): WorkspaceEvent[] {
  const value = changes[field];
  if (value === undefined || JSON.stringify(value) === JSON.stringify(workspace[field])) return [];
  return [EVENT_OF[field](workspace, value)];
}
