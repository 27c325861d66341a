import { useState } from 'preact/hooks';
import { answered, api } from '../../api/client.js';
import { Page } from '../../frame/page.js';
import { AuditEvents } from '../../parts/audit-events.js';
import { SelectField, TextField } from '../../parts/fields.js';
import { FilterForm } from '../../parts/form.js';
import { CursorList } from '../../parts/table.js';
import { type Filters, usePlace } from '../../routing/place.js';
import { ACTIONS } from './actions.js';

/** The audit events of the account, newest first, with the limits that were reached. */
export function AuditPage() {
  const { filters: place } = usePlace();
  const { cursor: _, ...filters } = place;
  const { action, ...others } = filters;
  const query = { ...others, ...(action !== undefined && { action: action.split(',') }) };
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <Page title="Audit">
      <FilterForm of={filters}>
        <AuditFilters of={filters} />
      </FilterForm>
      <CursorList
        what="audit events"
        filters={filters}
        read={(page) =>
          answered(api.GET('/v1/audit-events', { params: { query: { ...query, ...page } } }))
        }
      >
        {(events) => (
          <AuditEvents
            of={events}
            empty={isFiltered ? 'No event matches these filters.' : 'There are no events.'}
          />
        )}
      </CursorList>
    </Page>
  );
}

const TARGETS = [
  ['', 'Any target'],
  ['key', 'Key'],
  ['workspace', 'Workspace'],
  ['end-user', 'End user'],
  ['member', 'Member'],
  ['management-key', 'Management key'],
  ['account', 'Account'],
] as const;

function AuditFilters({ of: filters }: { of: Filters }) {
  const [type, setType] = useState(filters.target_type ?? '');
  return (
    <>
      <SelectField label="Action" name="action" options={ACTIONS} />
      <TextField label="Actor" name="actor" />
      <SelectField label="Target" name="target_type" options={TARGETS} onValue={setType} />
      {type !== '' && <TextField label="Id of the target" name="target_id" />}
      <TextField label="From" name="from" type="datetime-local" />
      <TextField label="Before" name="to" type="datetime-local" />
    </>
  );
}
