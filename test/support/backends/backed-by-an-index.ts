import { AFTER_FIRST } from '../../../src/event-sourcing/read-store/mongodb/documents.js';
import type { Command } from './wire-messages.js';

type Spec = Readonly<Record<string, unknown>>;

interface Stage {
  readonly $match?: Spec;
  readonly $lookup?: { readonly pipeline: readonly Stage[] };
  readonly $unionWith?: { readonly pipeline: readonly Stage[] };
}

/** Commands that search no documents. */
const LOOKS_FOR_NOTHING = new Set([
  'hello',
  'ismaster',
  'isMaster',
  'ping',
  'endSessions',
  'getMore',
  'killCursors',
  'insert',
  'createIndexes',
  'listCollections',
  'listIndexes',
  'drop',
  'create',
  'commitTransaction',
  'abortTransaction',
  'killSessions',
]);
const RANGES = new Set(['$gt', '$gte', '$lt', '$lte']);

/** This collection has one record for each namespace. */
const FEW_RECORDS = 'namespaces';

/** Returns the searches that no earlier index supports, one line each. */
export function withoutAnIndex(commands: readonly Command[]): string[] {
  const indexes = new Map<string, Map<string, string[]>>();
  const faults: string[] = [];
  for (const command of commands) {
    const { name, database, collection = '', body } = command;
    const namespace = `${database}.${collection}`;
    const usable = indexes.get(namespace) ?? new Map([['_id_', ['_id']]]);
    if (name === 'createIndexes') {
      const made = body.indexes as { name: string; key: Spec }[];
      for (const index of made) usable.set(index.name, Object.keys(index.key));
      indexes.set(namespace, usable);
    }
    if (LOOKS_FOR_NOTHING.has(name)) continue;
    const searches = searchesOf(command);
    if (!searches) {
      faults.push(`unknown command ${name}`);
      continue;
    }
    const hinted = usable.get(String(body.hint));
    const ways = hinted ? [hinted] : [...usable.values()];
    for (const { filter, sort } of searches) {
      if (collection === FEW_RECORDS && Object.keys(filter).length === 0) continue;
      if (ways.some((fields) => isBacked(filter, Object.keys(sort), fields))) continue;
      faults.push(`${name} ${collection} ${JSON.stringify({ filter, sort })}`);
    }
  }
  return faults;
}

function searchesOf({ name, body }: Command): { filter: Spec; sort: Spec }[] | undefined {
  const each = (list: unknown): { filter: Spec; sort: Spec }[] =>
    (list as { q: Spec }[]).map(({ q }) => ({ filter: q, sort: {} }));
  const sort = (body.sort as Spec | undefined) ?? {};
  if (name === 'find') return [{ filter: body.filter as Spec, sort }];
  if (name === 'aggregate') {
    const stages = body.pipeline as Stage[];
    const others = stages.flatMap(({ $lookup, $unionWith }) => {
      const [first] = ($lookup ?? $unionWith)?.pipeline ?? [];
      return first ? [first] : [];
    });
    return [
      { filter: stages[0]?.$match ?? {}, sort },
      ...others.map(({ $match }) => ({ filter: $match ?? {}, sort: {} })),
    ];
  }
  if (name === 'findAndModify') return [{ filter: body.query as Spec, sort }];
  if (name === 'update') return each(body.updates);
  if (name === 'delete') return each(body.deletes);
  return undefined;
}

/**
 * Whether an index supports a search: fixed values for its first fields, at most a range for the
 * next field, and the order of the rest. A search by `_id` needs no other index.
 */
function isBacked(filter: Spec, sort: readonly string[], index: readonly string[]): boolean {
  // The key ends each index, so that an index whose order is asked for passes over the first
  // document by itself.
  const isAll = sort.length > 1 && JSON.stringify(filter) === JSON.stringify(AFTER_FIRST);
  const asked = isAll ? [] : Object.keys(filter);
  if ('_id' in filter && !isRange(filter._id)) return index[0] === '_id' && sort.length === 0;
  const byValue = asked.filter((field) => !isRange(filter[field]));
  if (
    !byValue.every((field) => index.indexOf(field) >= 0 && index.indexOf(field) < byValue.length)
  ) {
    return false;
  }
  const rest = index.slice(byValue.length);
  const ranged = asked.filter((field) => isRange(filter[field]));
  if (ranged.length > 1 || (ranged.length === 1 && ranged[0] !== rest[0])) return false;
  const ordered = sort.filter((field) => !byValue.includes(field));
  if (!ordered.every((field, place) => field === rest[place])) return false;
  return asked.length > 0 || sort.length > 0;
}

function isRange(asked: unknown): boolean {
  if (typeof asked !== 'object' || asked === null) return false;
  return Object.keys(asked).some((operator) => RANGES.has(operator));
}
