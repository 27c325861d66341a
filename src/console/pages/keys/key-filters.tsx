import { useState } from 'preact/hooks';
import { FilterForm } from '../../parts/filter-form.js';
import { CheckField, SelectField, TextField } from '../../parts/form.js';
import { timeForInput, timeFromInput } from '../../parts/times.js';
import { WorkspaceField } from '../../parts/workspace.js';
import type { Filters } from '../../routing/place.js';

const KINDS = [
  ['', 'Any key'],
  ['creator_user_id', 'Creator'],
  ['external_user', 'End user'],
  ['expires_before', 'Expires before'],
] as const;

/** The filters of the keys. Of creator, end user and expiry, the API takes one at a time. */
export function KeyFilters({ filters }: { filters: Filters }) {
  const first = KINDS.find(([name]) => name !== '' && filters[name] !== undefined)?.[0] ?? '';
  const [kind, setKind] = useState<string>(first);
  const [value, setValue] = useState(
    first === 'expires_before' ? timeForInput(filters[first] ?? null) : (filters[first] ?? ''),
  );
  const [workspace, setWorkspace] = useState(filters.workspace_id ?? '');
  const [withDisabled, setWithDisabled] = useState(filters.include_disabled === 'true');
  const wanted = () => ({
    workspace_id: workspace,
    ...(kind !== '' && {
      [kind]: kind === 'expires_before' ? (timeFromInput(value) ?? '') : value.trim(),
    }),
    ...(kind === first && { expires_after: filters.expires_after }),
    include_disabled: withDisabled ? 'true' : undefined,
  });
  return (
    <FilterForm wanted={wanted}>
      <WorkspaceField value={workspace} onValue={setWorkspace} none="All workspaces" />
      <SelectField
        label="Only by"
        value={kind}
        onValue={(next) => {
          setKind(next);
          setValue('');
        }}
        options={KINDS}
      />
      {kind !== '' && (
        <TextField
          label={KINDS.find(([name]) => name === kind)?.[1] ?? ''}
          type={kind === 'expires_before' ? 'datetime-local' : 'text'}
          value={value}
          onValue={setValue}
        />
      )}
      <CheckField label="With disabled keys" value={withDisabled} onValue={setWithDisabled} />
    </FilterForm>
  );
}
