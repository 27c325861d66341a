import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { read } from '../docs/markdown.js';
import { gatewayFile, OF_THE_GATEWAY, TOLD_TO_THE_API } from './gateway.js';

const KEY = 'KEYLEDGER_MANAGEMENT_KEY';

/** Gives the lines of an nginx block, from its head to its closing brace. */
function nginxBlock(head: string): string[] {
  const file = gatewayFile('nginx');
  const start = file.indexOf(`  ${head} {\n`);
  return file
    .slice(start, file.indexOf('\n  }\n', start))
    .split('\n')
    .map((line) => line.trim());
}

/** Gives the filters of Envoy in their order. */
function envoyFilters(): Record<string, unknown> {
  const found = /^ +http_filters:\n([^]*?)^ {2}clusters:/m.exec(gatewayFile('envoy'))?.[1] ?? '';
  const filters = parse(found) as { name: string; typed_config: unknown }[];
  return Object.fromEntries(filters.map(({ name, typed_config }) => [name, typed_config]));
}

/** Installed gateways show what they do with these files. These tests need no gateway. */
describe('deploy/gateways', () => {
  it('has nginx set or remove, in its request to the API, all that a gateway alone may say', () => {
    const lines = nginxBlock('location /');
    for (const header of OF_THE_GATEWAY) {
      const variable = `$${header.toLowerCase().replaceAll('-', '_')}`;
      const value = TOLD_TO_THE_API.includes(header) ? variable : '""';
      expect(lines).toContain(`proxy_set_header ${header} ${value};`);
      if (!TOLD_TO_THE_API.includes(header)) continue;
      const answered = variable.replace('$', '$upstream_http_');
      expect(lines).toContain(`auth_request_set ${variable} ${answered};`);
    }
  });

  it('has nginx ask without options of the client and without its body', () => {
    const lines = nginxBlock('location = /-/keyledger');
    const options = ['Require-Workspace', 'Limit-Status'];
    for (const option of options)
      expect(lines).toContain(`proxy_set_header Keyledger-${option} "";`);
    expect(lines).toEqual(
      expect.arrayContaining([
        'internal;',
        'proxy_pass_request_body off;',
        'proxy_set_header Content-Length "";',
        'include /etc/nginx/keyledger-key;',
      ]),
    );
  });

  it('has Caddy remove what a client says, then ask, then pass on, in this order', () => {
    const steps = [
      'route {',
      'request_header -Keyledger*',
      '@names header_regexp Connection (?i)keyledger',
      'respond @names 400',
      'forward_auth ',
      `header_up Keyledger-Authorization "Bearer {env.${KEY}}"`,
      `copy_headers ${TOLD_TO_THE_API.join(' ')}\n`,
      'reverse_proxy ',
    ];
    const places = steps.map((step) => gatewayFile('caddy').indexOf(`\t${step}`));
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((one, other) => one - other));
  });

  it('has Envoy remove what a client says, then ask, and let through on a 200 alone', () => {
    const filters = envoyFilters();
    expect(Object.keys(filters)).toEqual([
      'envoy.filters.http.header_mutation',
      'envoy.filters.http.ext_authz',
      'envoy.filters.http.router',
    ]);
    expect(Object.values(filters)).toMatchObject([
      {
        mutations: {
          request_mutations: [
            { remove_on_match: { key_matcher: { prefix: 'keyledger', ignore_case: true } } },
          ],
        },
      },
      {
        failure_mode_allow: false,
        status_on_error: { code: 'ServiceUnavailable' },
        allowed_headers: { patterns: [{ exact: 'x-api-key' }] },
        http_service: {
          path_prefix: '/v1/authorize',
          authorization_request: {
            headers_to_add: [
              { key: 'Keyledger-Authorization', value: `Bearer %ENVIRONMENT(${KEY})%` },
              { key: 'Keyledger-Limit-Status', value: '429' },
            ],
          },
          authorization_response: {
            allowed_upstream_headers: {
              patterns: TOLD_TO_THE_API.map((header) => ({ exact: header.toLowerCase() })),
            },
          },
        },
      },
      {},
    ]);
  });

  it('has Traefik become the gateway, then ask, then remove keys', () => {
    const regex = '(?i)^keyledger';
    expect(parse(gatewayFile('traefik'))).toMatchObject({
      http: {
        routers: { api: { middlewares: ['as-gateway', 'ask-keyledger', 'without-keys'] } },
        middlewares: {
          'as-gateway': {
            headers: {
              customRequestHeaders: { 'Keyledger-Authorization': `Bearer {{ env "${KEY}" }}` },
            },
          },
          'ask-keyledger': {
            forwardAuth: {
              authRequestHeaders: ['Authorization', 'X-API-Key', 'Keyledger-Authorization'],
              trustForwardHeader: false,
              authResponseHeadersRegex: regex,
            },
          },
          'without-keys': {
            headers: { customRequestHeaders: { 'Keyledger-Authorization': '' } },
          },
        },
      },
    });
    for (const header of OF_THE_GATEWAY) expect(header).toMatch(/^keyledger/i);
    expect(read('deploy/gateways/README.md')).toContain('aliasHeadersStrategy: delete');
  });
});
