export const GROUPS = ['key', 'user'] as const;

/** The parameters that choose rows by what they are about. At most those of one group are given. */
export const FILTERS = ['api_key_hash', 'workspace_id', 'user'] as const;

/** Which rows are asked for: those of the dates `from` to `to`, both included, that have every other value given. */
export interface ActivityFilter {
  readonly group_by: (typeof GROUPS)[number];
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
