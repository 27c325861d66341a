import { Link } from 'wouter-preact';
import { type CurrentKey, signOut } from '../api/session.js';
import { Time } from '../parts/times.js';
import { mayLeave } from '../routing/leaving.js';
import { usePlace } from '../routing/place.js';
import { FindField } from './find-field.js';
import { PAGES } from './pages.js';

/** Says who is signed in, and leads to every page. */
export function Header({ who, hasPages }: { who: CurrentKey; hasPages: boolean }) {
  const { path } = usePlace();
  const leave = (): void => {
    if (mayLeave()) signOut();
  };
  const links = PAGES.filter(({ title, isFor }) => title !== undefined && isFor(who));
  return (
    <header class="container-fluid">
      <div class="who">
        <strong>Keyledger</strong>
        <span dir="auto">{who.account?.name}</span>
        <small>
          <bdi>{who.creator_user_id}</bdi>
          {who.role !== null && ` · ${who.role}`} · {expiry(who)}
        </small>
        <button type="button" class="secondary" onClick={leave}>
          Sign out
        </button>
      </div>
      {hasPages && (
        <div class="ways">
          <nav aria-label="Pages">
            {links.map(({ path: to, title }) => (
              <Link key={to} href={to} aria-current={isBelow(path, to) ? 'page' : undefined}>
                {title}
              </Link>
            ))}
          </nav>
          <FindField mayCheck={who.role === 'admin'} />
        </div>
      )}
    </header>
  );
}

function expiry({ expires_at: at }: CurrentKey) {
  if (at === null) return 'never expires';
  return (
    <>
      expires <Time at={at} />
    </>
  );
}

const isBelow = (path: string, to: string): boolean =>
  to === '/' ? path === '/' : path === to || path.startsWith(`${to}/`);
