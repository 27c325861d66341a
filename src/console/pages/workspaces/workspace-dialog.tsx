import type { components } from '../../api/openapi.js';
import { ChangeDialog } from '../../parts/change-dialog.js';
import { useFields } from '../../parts/fields.js';
import { AreaField, TextField } from '../../parts/form.js';

export type WorkspaceFields = components['schemas']['UpdateWorkspaceRequest'];

const NONE = { name: '', slug: '', description: null, restrictions: [] };

/** Creates a workspace, or changes one. Only the fields that differ are sent. */
export function WorkspaceDialog({
  title,
  now,
  send,
  onClose,
}: {
  title: string;
  now?: components['schemas']['Workspace'];
  send: (changes: WorkspaceFields) => Promise<void>;
  onClose: () => void;
}) {
  const { name, slug, description, restrictions } = now ?? NONE;
  const { changed, field } = useFields({
    name,
    slug,
    description: description ?? '',
    restrictions: restrictions.join('\n'),
  });

  async function change(): Promise<void> {
    const { description: text, restrictions: lines, ...others } = changed;
    const changes: WorkspaceFields = {
      ...others,
      ...(text !== undefined && { description: text || null }),
      ...(lines !== undefined && { restrictions: linesOf(lines) }),
    };
    if (!now || Object.keys(changes).length > 0) await send(changes);
  }

  return (
    <ChangeDialog title={title} action={now ? 'Save' : 'Create'} send={change} onClose={onClose}>
      <TextField label="Name" {...field('name')} />
      <TextField label="Slug" hint="In paths; empty: made from the name" {...field('slug')} />
      <TextField label="Description" {...field('description')} />
      <AreaField
        label="Restrictions"
        hint="One a line. A key moves only to a workspace that has all those of its own."
        {...field('restrictions')}
      />
    </ChangeDialog>
  );
}

/** The service compares restrictions as they are, so white space around one stays. */
const linesOf = (text: string): string[] => text.split('\n').filter((line) => line.trim() !== '');
