import { answered, api, type Schemas } from '../../api/client.js';
import { Page } from '../../frame/page.js';
import { Change } from '../../parts/change.js';
import { CheckField, TextField } from '../../parts/fields.js';
import { FilterForm } from '../../parts/form.js';
import { Name } from '../../parts/names.js';
import { type Column, List } from '../../parts/table.js';
import { Time } from '../../parts/times.js';
import { addressOfEndUser, go, usePlace } from '../../routing/place.js';
import { BudgetSection } from '../budgets/budget.js';
import { commonBudget } from '../budgets/budget-routes.js';
import { EndUserPage } from './end-user-page.js';

const COLUMNS: readonly Column<Schemas['EndUser']>[] = [
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
  const { offset: _, ...filters } = usePlace().filters;
  const include_inactive = filters.include_inactive === 'true';
  return (
    <Page title="End users" actions={<Register />}>
      <FilterForm of={filters}>
        <TextField label="Tracking ID" name="user" />
        <CheckField label="With inactive end users" name="include_inactive" />
      </FilterForm>
      <List
        what="end users"
        read={(page) =>
          answered(api.GET('/v1/end-users', { params: { query: { include_inactive, ...page } } }))
        }
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

function Register() {
  return (
    <Change
      title="Register an end user"
      kind="main"
      action="Register"
      send={async ({ user = '' }: { user?: string }) => {
        await answered(api.POST('/v1/end-users', { body: { user } }));
        go(addressOfEndUser(user));
      }}
    >
      <TextField
        label="Tracking ID"
        name="user"
        hint="How you identify this customer. It should not contain data about a person."
      />
    </Change>
  );
}
