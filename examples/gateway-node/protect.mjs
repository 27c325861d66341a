const KEY = /^Bearer +([\x21-\x7e]{1,512})$/i;
const STATUSES = new Map([
  ['MALFORMED', 401],
  ['NOT_FOUND', 401],
  ['ROTATED', 401],
  ['DISABLED', 401],
  ['EXPIRED', 401],
  ['LIMIT_EXCEEDED', 429],
]);

/** @param userOf returns the end user whom your API has authenticated, for a budget of theirs. */
export function protect({ address, managementKey, workspaceId, userOf = () => undefined }) {
  const said = new Set();

  function say(problem) {
    if (!said.has(problem)) console.error(problem);
    said.add(problem);
  }

  async function ask(key, user) {
    const answer = await fetch(`${address}/v1/keys/verify`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${managementKey}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ key, workspace_id: workspaceId, user }),
      signal: AbortSignal.timeout(2_000),
    });
    if (!answer.ok) throw new Error(`Keyledger answered ${answer.status}`);
    return (await answer.json()).data;
  }

  function refuse(response, status, code) {
    if (status === 401) response.setHeader('WWW-Authenticate', 'Bearer');
    response.setHeader('Content-Type', 'application/json');
    response.statusCode = status;
    response.end(JSON.stringify({ error: { code: status, message: code } }));
  }

  return async (request, response, next) => {
    const key = KEY.exec(request.headers.authorization ?? '')?.[1];
    if (key === undefined) return refuse(response, 401, 'NO_KEY');
    // Whatever is not a clear yes lets nobody in.
    const verification = await ask(key, userOf(request)).catch(({ message }) => say(message));
    if (verification === undefined) return refuse(response, 503, 'UNAVAILABLE');
    const { valid, code } = verification;
    if (valid !== true) return refuse(response, STATUSES.get(code) ?? 403, code);
    request.apiKey = verification.key;
    next();
  };
}
