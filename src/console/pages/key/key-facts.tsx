import { Link } from 'wouter-preact';
import type { Schemas } from '../../api/client.js';
import { Facts } from '../../parts/facts.js';
import { usdText } from '../../parts/money.js';
import { WorkspaceName } from '../../parts/names.js';
import { Load } from '../../parts/states.js';
import { Time } from '../../parts/times.js';
import { addressOfEndUser } from '../../routing/place.js';
import { budgetOfEndUser, budgetOfWorkspace, type BudgetRoutes } from '../budgets/budget-routes.js';
import { KeyState, Limit } from '../keys/key-parts.js';
import { type Key, nextReset } from '../keys/key-state.js';

/** All fields of a key, and the budgets that its uses spend too. */
export function KeyFacts({ of: key }: { of: Key }) {
  const { workspace_id: workspace } = key;
  const user = key.external_user?.user;
  const sums = (one: 'usage' | 'byok_usage') =>
    `${usdText(key[one])} (today ${usdText(key[`${one}_daily`])}, this week ${usdText(key[`${one}_weekly`])}, this month ${usdText(key[`${one}_monthly`])})`;
  return (
    <Facts
      of={[
        ['State', <KeyState of={key} />],
        ['Limit, USD', <Limit of={key} />],
        ['Limit resets', <Time at={nextReset(key.limit_reset, new Date())} none="never" />],
        ['BYOK in the limit', key.include_byok_in_limit ? 'yes' : 'no'],
        [
          'Budget of the workspace',
          <BudgetLeft of={`workspace ${workspace}`} routes={budgetOfWorkspace(workspace)} />,
        ],
        user !== undefined && [
          'Budget of the end user',
          <BudgetLeft of={`end user ${user}`} routes={budgetOfEndUser(user)} />,
        ],
        ['Usage, USD', sums('usage')],
        ['BYOK usage, USD', sums('byok_usage')],
        ['Last use', <Time at={key.last_used_at} none="never" />],
        ['Expires', <Time at={key.expires_at} none="never" />],
        [
          'Workspace',
          <Link href={`/workspaces/${workspace}`}>
            <WorkspaceName id={workspace} />
          </Link>,
        ],
        [
          'End user',
          user === undefined ? (
            <span class="none">none</span>
          ) : (
            <Link href={addressOfEndUser(user)}>
              <bdi>{user}</bdi>
            </Link>
          ),
        ],
        ['Creator', <bdi>{key.creator_user_id}</bdi>],
        ['Created', <Time at={key.created_at} />],
        ['Changed', <Time at={key.updated_at} none="never" />],
        ['Hash', <code>{key.hash}</code>],
      ]}
    />
  );
}

/** The rest of a budget. One that is used up stops the key, whatever its own limit. */
function BudgetLeft(props: { of: string; routes: BudgetRoutes<Schemas['SpentBudget']> }) {
  return (
    <Load of={`budget of ${props.of}`} by={props.routes.read}>
      {(found) =>
        found ? (
          <>
            <Limit of={found.data} />
            {found.data.limit_remaining === 0 && (
              <strong class="fault"> This budget stops the key.</strong>
            )}
          </>
        ) : (
          <span class="none">none</span>
        )
      }
    </Load>
  );
}
