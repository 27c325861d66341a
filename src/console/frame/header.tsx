import type { TargetedSubmitEvent } from 'preact';
import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { type CurrentKey, signOut } from '../api/session.js';
import { Button } from '../parts/button.js';
import { Name } from '../parts/names.js';
import { Time } from '../parts/times.js';
import { leadToCheck } from '../routing/handed-to-check.js';
import { mayLeave } from '../routing/leaving.js';
import { addressOf, go, usePlace } from '../routing/place.js';
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
        <Name of={who.account?.name ?? ''} />
        <small>
          <Name of={who.creator_user_id} />
          {who.role !== null && ` · ${who.role}`} · {expiry(who)}
        </small>
        <Button title="Sign out" onClick={leave} />
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

/** Finds a key, an end user or a workspace by its id. A key string is only ever checked. */
function FindField({ mayCheck }: { mayCheck: boolean }) {
  const [text, setText] = useState('');
  const find = (event: TargetedSubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const wanted = text.trim();
    if (wanted === '') return;
    setText('');
    if (!leadToCheck(wanted, mayCheck)) go(addressOf('/find', { text: wanted }));
  };
  return (
    <form role="search" onSubmit={find}>
      <input
        type="search"
        aria-label="Find by hash, tracking ID, workspace id or slug"
        placeholder="Find by hash, tracking ID or slug"
        value={text}
        autocomplete="off"
        spellcheck={false}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
    </form>
  );
}
