import autocannon, { type Request } from 'autocannon';
import type { Load, LoadResult } from './load.js';
import { questionsOf } from './questions.js';

async function generate(load: Load): Promise<LoadResult> {
  const { url, seconds, connections } = load;
  const question = questionsOf(load);
  const setupRequest = (request: Request): Request => ({ ...request, ...question() });
  const isTheSame = load.method === 'GET' && !load.asksFor;
  const request = isTheSame ? question() : { ...question(), setupRequest };
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
