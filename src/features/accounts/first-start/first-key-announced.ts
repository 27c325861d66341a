/**
 * Returns the text that shows the first management key to the operator, once. The caller writes the text to standard
 * output without the logger, before the service is ready.
 */
export function firstKeyAnnounced(managementKey: string): string {
  return `
First start: an organization was created. This is its management key, shown only this once:

    KEY=${managementKey}

`;
}

/**
 * Returns the text that shows an example of a first request. The caller writes the text when the service is ready. The
 * request uses the shell variable `KEY`, which the command in the text of `firstKeyAnnounced` sets.
 * @param address the address at which the service listens, such as `http://127.0.0.1:3000`.
 */
export function firstRequestShown(address: string): string {
  return `
Try it:

    curl -s -X POST ${address}/v1/keys -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' -d '{"name": "my first key", "limit": 25, "limit_reset": "monthly"}'

`;
}
