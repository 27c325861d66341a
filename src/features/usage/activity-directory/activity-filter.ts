import { ALL_WORKSPACES } from '../../../edge/http/fields/field-decorators.js';
import type { Issue } from '../../../edge/http/fields/shape.pipe.js';
import { DAY_MS, dayOf } from '../../../kernel/day.js';
import { Refusal } from '../../../kernel/errors.js';

export const GROUPS = ['key', 'user', 'workspace', 'day'] as const;

export type Group = (typeof GROUPS)[number];

/** The parameters that choose rows by what they are about. */
export const FILTERS = ['api_key_hash', 'workspace_id', 'user'] as const;

const GROUPS_WITH: Readonly<Record<(typeof FILTERS)[number], readonly Group[]>> = {
  api_key_hash: ['key'],
  workspace_id: ['key', 'workspace', 'day'],
  user: ['user'],
};

/** Asks for rows of the dates `from` to `to`, both included, that have every other value given. */
export interface ActivityFilter {
  readonly group_by: Group;
  readonly from: string;
  readonly to: string;
  readonly api_key_hash?: string | undefined;
  readonly workspace_id?: string | undefined;
  readonly user?: string | undefined;
}

/** The rows that match a filter, after a place. The first page has no place. */
export interface Asked {
  readonly filter: ActivityFilter;
  readonly after: string | undefined;
}

/** The greatest length of a cursor. It may name two users, with six bytes of JSON a character. */
export const LONGEST_CURSOR = 9_000;

type Given = { readonly [Field in keyof ActivityFilter]?: ActivityFilter[Field] | undefined };

const DAYS_BEFORE = 29;

/**
 * Returns the filter of a query, and the place where its page begins.
 * @param before the filter of the page before, which the query may repeat, and where it ended.
 * @throws Refusal when the filter is another one or contradicts itself.
 */
export function askedOf(query: Given, before: Asked | undefined, now: Date): Asked {
  const given = filterIn(query);
  const filter = before?.filter ?? withDefaults(given, now);
  const issues: Issue[] = [];
  for (const path of ['group_by', 'from', 'to', ...FILTERS] as const) {
    const isOther = given[path] !== undefined && given[path] !== filter[path];
    if (isOther) issues.push({ path, message: 'must be as on the page that gave the cursor' });
  }
  for (const path of FILTERS) {
    const groups = GROUPS_WITH[path];
    if (filter[path] === undefined || groups.includes(filter.group_by)) continue;
    issues.push({ path, message: `may be given with group_by=${groups.join(' or ')} only` });
  }
  if (filter.from > filter.to) issues.push({ path: 'from', message: 'must not be after to' });
  if (issues.length > 0) throw new Refusal('request-invalid', { issues });
  return { filter, after: before?.after };
}

function filterIn({ group_by, from, to, api_key_hash, workspace_id, user }: Given): Given {
  const workspace = workspace_id?.toLowerCase();
  return {
    group_by,
    from,
    to,
    api_key_hash: api_key_hash?.toLowerCase(),
    workspace_id: workspace === ALL_WORKSPACES ? undefined : workspace,
    user,
  };
}

function withDefaults(given: Given, now: Date): ActivityFilter {
  const { group_by = 'key', to = dayOf(now.toISOString()) } = given;
  const first = new Date(Date.parse(to) - DAYS_BEFORE * DAY_MS);
  return { ...given, group_by, from: given.from ?? dayOf(first.toISOString()), to };
}
