/**
 * The text that shows the first management key to the operator who started the service. It goes past the logger, and both
 * of its commands can be pasted into a shell.
 * @param address where the service listens, such as `http://127.0.0.1:3000`.
 */
export function firstKeyAnnounced(managementKey: string, address: string): string {
  return `
First start: an organization was created. This is its management key, shown only this once:

    KEY=${managementKey}

Try it:

    curl -s -X POST ${address}/v1/keys -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' -d '{"name": "my first key", "limit": 25, "limit_reset": "monthly"}'

`;
}
