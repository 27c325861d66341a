import { useState } from 'preact/hooks';
import { answered, api } from '../../api/client.js';
import type { components } from '../../api/openapi.js';
import { useAnswer } from '../../api/use-answer.js';
import { Page } from '../../frame/page.js';
import { ChangeDialog } from '../../parts/change-dialog.js';
import { Control } from '../../parts/control.js';
import { CheckField, TextField } from '../../parts/form.js';
import { FilterForm } from '../../parts/filter-form.js';
import { List } from '../../parts/list.js';
import { Name } from '../../parts/name.js';
import { type Column, offsetOf, PAGE_SIZE } from '../../parts/table.js';
import { Time } from '../../parts/times.js';
import { addressOf, go, usePlace } from '../../routing/place.js';
import { commonBudget } from '../budgets/budget-routes.js';
import { BudgetSection } from '../budgets/budget.js';
import { EndUserPage } from './end-user-page.js';

/** The tracking ID is a filter: people choose it, so a path could not hold each of them. */
const addressOfEndUser = (user: string): string => addressOf('/end-users', { user });

const COLUMNS: readonly Column<components['schemas']['EndUser']>[] = [
  { title: 'Tracking ID', cell: ({ user }) => <Name of={user} href={addressOfEndUser(user)} /> },
  { title: 'State', cell: ({ is_active: isActive }) => (isActive ? 'active' : 'inactive') },
  { title: 'Registered', isNumber: true, cell: ({ created_at: at }) => <Time at={at} /> },
  { title: 'Changed', isNumber: true, cell: ({ updated_at: at }) => <Time at={at} /> },
];

/** The end users of the organization, or the one whose tracking ID is in the address. */
export function EndUsersPage() {
  const { user } = usePlace().filters;
  return user === undefined ? <EndUserList /> : <EndUserPage key={user} user={user} />;
}

function EndUserList() {
  const { path, filters } = usePlace();
  const include_inactive = filters.include_inactive === 'true';
  const query = { include_inactive, offset: offsetOf(filters), limit: PAGE_SIZE };
  const loaded = useAnswer(addressOf(path, filters), (signal) =>
    answered(api.GET('/v1/end-users', { params: { query }, signal })),
  );
  return (
    <Page
      title="End users"
      actions={
        <Control title="Register an end user" kind="main">
          {(close) => <Register onClose={close} />}
        </Control>
      }
    >
      <EndUserFilters key={String(include_inactive)} include_inactive={include_inactive} />
      <List
        what="end users"
        loaded={loaded}
        columns={COLUMNS}
        idOf={({ user }) => user}
        empty={
          include_inactive
            ? 'No end user is registered yet.'
            : 'No active end user is registered. They are the customers for whom you make keys.'
        }
      />
      <BudgetSection
        title="Common budget"
        routes={commonBudget}
        none="There is no budget that each end user has who has none of their own."
      />
    </Page>
  );
}

function EndUserFilters({ include_inactive: before }: { include_inactive: boolean }) {
  const [user, setUser] = useState('');
  const [withInactive, setWithInactive] = useState(before);
  const wanted = () => ({
    user: user.trim(),
    include_inactive: withInactive ? 'true' : undefined,
  });
  return (
    <FilterForm wanted={wanted}>
      <TextField label="Tracking ID" value={user} onValue={setUser} />
      <CheckField label="With inactive end users" value={withInactive} onValue={setWithInactive} />
    </FilterForm>
  );
}

function Register({ onClose }: { onClose: () => void }) {
  const [user, setUser] = useState('');
  return (
    <ChangeDialog
      title="Register an end user"
      action="Register"
      send={async () => {
        await answered(api.POST('/v1/end-users', { body: { user } }));
        go(addressOfEndUser(user));
      }}
      onClose={onClose}
    >
      <TextField
        label="Tracking ID"
        name="user"
        value={user}
        onValue={setUser}
        hint="How you identify this customer. It should not contain data about a person."
      />
    </ChangeDialog>
  );
}
