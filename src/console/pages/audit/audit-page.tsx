import { useState } from 'preact/hooks';
import { answered, api } from '../../api/client.js';
import { useAnswer } from '../../api/use-answer.js';
import { Page } from '../../frame/page.js';
import { AuditEvents } from '../../parts/audit-events.js';
import { CursorPager } from '../../parts/cursor-pager.js';
import { FilterForm } from '../../parts/filter-form.js';
import { SelectField, TextField } from '../../parts/form.js';
import { Show } from '../../parts/states.js';
import { PAGE_SIZE } from '../../parts/table.js';
import { timeForInput, timeFromInput } from '../../parts/times.js';
import { addressOf, type Filters, usePlace } from '../../routing/place.js';
import { actionOptions } from './actions.js';

/** The audit events of the account, newest first, with the limits that were reached. */
export function AuditPage() {
  const { path, filters: place } = usePlace();
  const { cursor, ...filters } = place;
  const { action, ...others } = filters;
  const query = {
    ...others,
    limit: PAGE_SIZE,
    ...(action !== undefined && { action: action.split(',') }),
    ...(cursor !== undefined && { cursor }),
  };
  const loaded = useAnswer(addressOf(path, place), (signal) =>
    answered(api.GET('/v1/audit-events', { params: { query }, signal })),
  );
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <Page title="Audit">
      <AuditFilters key={addressOf(path, filters)} filters={filters} />
      <Show loaded={loaded}>
        {({ data, next_cursor: next }) => (
          <>
            <AuditEvents
              of={data}
              empty={isFiltered ? 'No event matches these filters.' : 'There are no events.'}
            />
            <CursorPager next={next} cursor={cursor} what="audit events" filters={filters} />
          </>
        )}
      </Show>
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

function AuditFilters({ filters }: { filters: Filters }) {
  const [action, setAction] = useState(filters.action ?? '');
  const [actor, setActor] = useState(filters.actor ?? '');
  const [type, setType] = useState(filters.target_type ?? '');
  const [target, setTarget] = useState(filters.target_id ?? '');
  const [from, setFrom] = useState(timeForInput(filters.from ?? null));
  const [to, setTo] = useState(timeForInput(filters.to ?? null));
  const wanted = () => ({
    action,
    actor: actor.trim(),
    target_type: type,
    target_id: type === '' ? undefined : target.trim(),
    from: timeFromInput(from) ?? undefined,
    to: timeFromInput(to) ?? undefined,
  });
  return (
    <FilterForm wanted={wanted}>
      <SelectField
        label="Action"
        value={action}
        onValue={setAction}
        options={actionOptions(filters.action ?? '')}
      />
      <TextField label="Actor" value={actor} onValue={setActor} />
      <SelectField label="Target" value={type} onValue={setType} options={TARGETS} />
      {type !== '' && <TextField label="Id of the target" value={target} onValue={setTarget} />}
      <TextField label="From" type="datetime-local" value={from} onValue={setFrom} />
      <TextField label="Before" type="datetime-local" value={to} onValue={setTo} />
    </FilterForm>
  );
}
