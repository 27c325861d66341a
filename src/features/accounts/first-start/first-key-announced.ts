/** The text that shows the first management key, once. It goes to standard output without the logger. */
export function firstKeyAnnounced(managementKey: string): string {
  return `
First start: an organization was created. This is its management key, shown only this once:

    KEY=${managementKey}

`;
}

/** The text that shows a first request to the ready service. It uses the shell variable that the text above sets. */
export function firstRequestShown(address: string): string {
  return `
Try it:

    curl -s -X POST ${address}/v1/keys -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' -d '{"name": "my first key", "limit": 25, "limit_reset": "monthly"}'

`;
}
