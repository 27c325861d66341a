import { Link } from 'wouter-preact';
import { answered, api, type Schemas } from '../../api/client.js';
import { useAnswer } from '../../api/use-answer.js';
import { Page } from '../../frame/page.js';
import { Change } from '../../parts/change.js';
import { Facts } from '../../parts/facts.js';
import { Show } from '../../parts/states.js';
import { Time } from '../../parts/times.js';
import { addressOf } from '../../routing/place.js';
import { BudgetSection } from '../budgets/budget.js';
import { budgetOfEndUser } from '../budgets/budget-routes.js';

/** These two tracking IDs have no path in the API: only the list has them. */
const WITHOUT_PATH = ['.', '..'];

/** One end user, registered or not: the common budget holds for everybody. */
export function EndUserPage({ user }: { user: string }) {
  const hasPath = !WITHOUT_PATH.includes(user);
  const loaded = useAnswer(user, () => {
    const query = { user, include_inactive: true };
    return answered(api.GET('/v1/end-users', { params: { query } }));
  });
  const endUser = loaded.answer?.value.data[0];
  return (
    <Page title={user} actions={hasPath && endUser && <SetActive of={endUser} />}>
      <Show loaded={loaded}>
        {({ data: [found] }) =>
          found ? (
            <Facts
              of={[
                ['State', found.is_active ? 'active' : 'inactive'],
                ['Registered', <Time at={found.created_at} />],
                ['Changed', <Time at={found.updated_at} />],
              ]}
            />
          ) : (
            <p class="none">No end user with this tracking ID is registered.</p>
          )
        }
      </Show>
      <p>
        <Link href={addressOf('/keys', { external_user: user })}>Keys of this end user</Link>
      </p>
      {hasPath ? (
        <BudgetSection
          routes={budgetOfEndUser(user)}
          none="This end user has no budget, and there is no common one."
          mayBeSet={endUser !== undefined}
        />
      ) : (
        <p class="none">The API has no address for this tracking ID: only the list has it.</p>
      )}
    </Page>
  );
}

function SetActive({ of: { user, is_active: isActive } }: { of: Schemas['EndUser'] }) {
  const verb = isActive ? 'Deactivate' : 'Reactivate';
  const params = { path: { user } };
  const body = { is_active: !isActive };
  return (
    <Change
      title={verb}
      question={`${verb} the end user ${user}?`}
      action={verb}
      send={() => answered(api.PATCH('/v1/end-users/{user}', { params, body }))}
    >
      <p>This is information for you: the keys of this end user stay as they are.</p>
    </Change>
  );
}
