/** The text that shows the first management key, once, on standard output, past the logger. */
export function firstKeyText(managementKey: string): string {
  return `
First start: an organization was created. This is its management key, shown only this once:

    KEY=${managementKey}

`;
}

/** The text of a first request to the ready service. It uses the variable set by the text above. */
export function firstRequestText(address: string): string {
  return `
Try it:

    curl -s -X POST ${address}/v1/keys -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' -d '{"name": "my first key", "limit": 25, "limit_reset": "monthly"}'

`;
}
