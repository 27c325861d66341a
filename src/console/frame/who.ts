import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { CurrentKey } from '../api/session.js';

/** The rights of the signed-in key, for the pages. */
export interface Rights {
  /** Whether controls that change something are there: the role is `admin`. */
  readonly mayChange: boolean;
  /** Whether the account has end users and members. */
  readonly isOrganization: boolean;
}

export const Who = createContext<CurrentKey | null>(null);

export function useRights(): Rights {
  const who = useContext(Who);
  return {
    mayChange: who?.role === 'admin',
    isOrganization: who?.account?.kind === 'organization',
  };
}
