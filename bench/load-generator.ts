import autocannon, { type Request } from 'autocannon';
import { randomBytes } from 'node:crypto';
import type { Load, LoadResult } from './load.js';

async function generate({ url, key, seconds, connections, method }: Load): Promise<LoadResult> {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  const run = randomBytes(8).toString('hex');
  let count = 0;
  const setupRequest = (request: Request): Request => ({
    ...request,
    body: JSON.stringify({ user: `user-${run}-${count++}` }),
  });
  const request = method === 'POST' ? { method, headers, setupRequest } : { method, headers };
  const { requests, duration, errors, non2xx } = await autocannon({
    url,
    connections,
    duration: seconds,
    requests: [request],
  });
  return { answered: requests.total, seconds: duration, failed: errors + non2xx };
}

process.once('message', (load: Load) => {
  void generate(load).then((result) => process.send?.(result, () => process.disconnect()));
});
