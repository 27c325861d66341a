import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { CurrentKey } from '../api/session.js';

export const Who = createContext<CurrentKey | null>(null);

/** The rights of the signed-in key, for the pages. */
export function useRights() {
  const who = useContext(Who);
  return {
    /** Whether controls that change something are there. */
    mayChange: who?.role === 'admin',
    /** Whether the account has end users and members. */
    isOrganization: who?.account?.kind === 'organization',
  };
}
