import { answered, api, foundOrNull } from '../api/client.js';
import { lookUp, useLookedUp } from '../api/looked-up.js';
import { useAnswer } from '../api/use-answer.js';
import { SelectField, TextField } from './form.js';

/** The names of workspaces; null for one that was deleted. */
export const workspaceNames = lookUp(async (workspace) => {
  const params = { path: { workspace } };
  const found = await foundOrNull(answered(api.GET('/v1/workspaces/{workspace}', { params })));
  return found?.data.name ?? null;
});

/** The name of a workspace, or its id while the name is not known. */
export function WorkspaceName({ id }: { id: string | null }) {
  const name = useLookedUp(workspaceNames, id);
  if (id === null) return <span class="none">–</span>;
  if (name === null) return <span class="none">deleted</span>;
  return <span class="name">{name ?? id.slice(0, 8)}</span>;
}

const MOST_OPTIONS = 100;

/** Chooses a workspace by its name, or by its id in an account with very many. */
export function WorkspaceField({
  label = 'Workspace',
  name = 'workspace_id',
  value,
  onValue,
  none,
}: {
  label?: string;
  name?: string;
  value: string;
  onValue: (id: string) => void;
  /** What no workspace is called, such as all of them; absent where one must be chosen. */
  none?: string;
}) {
  const { answer } = useAnswer('workspaces', () =>
    answered(api.GET('/v1/workspaces', { params: { query: { limit: MOST_OPTIONS } } })),
  );
  const all = answer?.value.data ?? [];
  if ((answer?.value.total_count ?? 0) > MOST_OPTIONS) {
    return <TextField label={label} name={name} value={value} onValue={onValue} hint="Its id" />;
  }
  const options = all.map(({ id, name: title }) => [id, title] as const);
  // While the list loads, what was chosen before is an option too.
  const chosen =
    value === '' || all.some(({ id }) => id === value) ? [] : [[value, value] as const];
  return (
    <SelectField
      label={label}
      name={name}
      value={value}
      onValue={onValue}
      options={[...(none === undefined ? [] : [['', none] as const]), ...options, ...chosen]}
    />
  );
}
