import { useEffect } from 'preact/hooks';
import { Router } from 'wouter-preact';
import { type Session, startSession, useSession } from '../api/session.js';
import { go, usePlace } from '../routing/place.js';
import { Header } from './header.js';
import { Pages } from './pages.js';
import { NoPages, SignIn } from './sign-in.js';

/** The location of the router: the path behind the `#`, without the filters. */
const useHashPath = (): [string, (address: string) => void] => [usePlace().path, go];
const toHash = (address: string): string => `#${address}`;

/** The whole console: the page to sign in, or the pages with their frame. */
export function Console() {
  const session = useSession();
  useEffect(startSession, []);
  return (
    <Router hook={useHashPath} hrefs={toHash}>
      <a class="skip" href="#" onClick={skipToContent}>
        Skip to the content
      </a>
      {session.state !== 'signed-in' && <SignIn session={session} />}
      <SignedIn session={session} />
      <Foot />
    </Router>
  );
}

/**
 * The pages of whoever is signed in. When the key is lost they are hidden and stay, so that what
 * was typed is there again for the next key of the same account and role.
 */
function SignedIn({ session }: { session: Session }) {
  if (session.state !== 'signed-in' && session.state !== 'lost') return null;
  const { who } = session;
  const hasPages = who.is_management_key && who.role !== 'gateway';
  return (
    <div hidden={session.state === 'lost'} key={`${who.account?.id} ${who.role}`}>
      <Header who={who} hasPages={hasPages} />
      <main id="content" class="container-fluid" tabIndex={-1}>
        {hasPages ? <Pages who={who} /> : <NoPages who={who} />}
      </main>
    </div>
  );
}

function skipToContent(event: Event): void {
  event.preventDefault();
  document.getElementById('content')?.focus();
}

/** Says from what the console was built. */
function Foot() {
  return (
    <footer class="container-fluid">
      <small class="none">
        Keyledger {BUILT_VERSION} · commit {BUILT_FROM.slice(0, 12)}
      </small>
    </footer>
  );
}
