import { answered, api, foundOrNull } from '../api/client.js';
import { lookUp, useLookedUp } from '../api/looked-up.js';
import { Name } from './name.js';
import { addressOf } from '../routing/place.js';

/** The names of keys; null for one that was deleted. */
const keyNames = lookUp(async (hash) => {
  const params = { path: { hash } };
  const found = await foundOrNull(answered(api.GET('/v1/keys/{hash}', { params })));
  return found?.data.name ?? null;
});

/** The name of a key. While it is not known, and of a deleted key, this is the hash. */
export function KeyName({ hash }: { hash: string }) {
  const name = useLookedUp(keyNames, hash);
  const events = addressOf('/audit', { target_type: 'key', target_id: hash });
  return <Name of={name ?? hash} href={name === null ? events : `/keys/${hash}`} />;
}
