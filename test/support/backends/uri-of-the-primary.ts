import { MongoClient } from 'mongodb';

/** Gives the URI of the primary alone, for a gate before it. Gives a URI of one server as it is. */
export async function uriOfThePrimary(uri: string): Promise<URL> {
  const [, start = '', hosts = '', rest = ''] =
    /^([^/]*\/\/(?:[^@/]*@)?)([^/?]+)(.*)$/.exec(uri) ?? [];
  if (!hosts.includes(',')) return new URL(uri);
  const client = await MongoClient.connect(uri);
  try {
    const { primary } = await client.db('admin').command({ hello: 1 });
    const url = new URL(`${start}${String(primary)}${rest}`);
    url.searchParams.delete('replicaSet');
    url.searchParams.set('directConnection', 'true');
    return url;
  } finally {
    await client.close();
  }
}
