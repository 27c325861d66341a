/** The text that shows the first management key to the operator, once, past the logger. It stands before the service is ready. */
export function firstKeyAnnounced(managementKey: string): string {
  return `
First start: an organization was created. This is its management key, shown only this once:

    KEY=${managementKey}

`;
}

/**
 * The text that shows a first request, once the service is ready. Its command can be pasted into a shell after the one of
 * `firstKeyAnnounced`.
 * @param address where the service listens, such as `http://127.0.0.1:3000`.
 */
export function firstRequestShown(address: string): string {
  return `
Try it:

    curl -s -X POST ${address}/v1/keys -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' -d '{"name": "my first key", "limit": 25, "limit_reset": "monthly"}'

`;
}
