import type { FunctionComponent } from 'preact';
import { Link, Route, Switch } from 'wouter-preact';
import type { CurrentKey } from '../api/session.js';
import { ActivityPage } from '../pages/activity/activity-page.js';
import { AuditPage } from '../pages/audit/audit-page.js';
import { CheckPage } from '../pages/check-page.js';
import { EndUsersPage } from '../pages/end-users/end-users-page.js';
import { FindPage } from '../pages/find-page.js';
import { KeyPage } from '../pages/key/key-page.js';
import { KeysPage } from '../pages/keys/keys-page.js';
import { OverviewPage } from '../pages/overview-page.js';
import { TeamPage } from '../pages/team/team-page.js';
import { WorkspacePage } from '../pages/workspaces/workspace-page.js';
import { WorkspacesPage } from '../pages/workspaces/workspaces-page.js';
import { usePlace } from '../routing/place.js';
import { Page } from './page.js';
import { Who } from './who.js';

interface PageEntry {
  readonly path: string;
  /** What the link to the page is called; without one, other pages lead there. */
  readonly title?: string;
  readonly isFor: (who: CurrentKey) => boolean;
  readonly page: FunctionComponent;
}

const everyone = (): boolean => true;
const organizations = ({ account }: CurrentKey): boolean => account?.kind === 'organization';

/** The pages, in the order of their links. */
export const PAGES: readonly PageEntry[] = [
  { path: '/', title: 'Overview', isFor: everyone, page: OverviewPage },
  { path: '/keys', title: 'Keys', isFor: everyone, page: KeysPage },
  { path: '/keys/:hash', isFor: everyone, page: KeyPage },
  { path: '/check', title: 'Check', isFor: ({ role }) => role === 'admin', page: CheckPage },
  { path: '/activity', title: 'Activity', isFor: everyone, page: ActivityPage },
  { path: '/end-users', title: 'End users', isFor: organizations, page: EndUsersPage },
  { path: '/workspaces', title: 'Workspaces', isFor: everyone, page: WorkspacesPage },
  { path: '/workspaces/:workspace', isFor: everyone, page: WorkspacePage },
  { path: '/team', title: 'Team', isFor: organizations, page: TeamPage },
  { path: '/audit', title: 'Audit', isFor: everyone, page: AuditPage },
  { path: '/find', isFor: everyone, page: FindPage },
];

/** Shows the page of the address. */
export function Pages({ who }: { who: CurrentKey }) {
  const { path: place } = usePlace();
  return (
    <Who.Provider value={who}>
      <Switch>
        {PAGES.filter(({ isFor }) => isFor(who)).map(({ path, page: Content }) => (
          <Route key={path} path={path}>
            <Content key={place} />
          </Route>
        ))}
        <Route>
          <NoSuchPage />
        </Route>
      </Switch>
    </Who.Provider>
  );
}

function NoSuchPage() {
  const { path } = usePlace();
  return (
    <Page title="There is no such page">
      <p>
        The console has no page <code>{path}</code> for your key. <Link href="/keys">Keys</Link>
      </p>
    </Page>
  );
}
