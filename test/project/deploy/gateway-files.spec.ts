import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { read } from '../docs/markdown.js';
import { gatewayFile, OF_THE_GATEWAY } from './gateway.js';

const KEY = 'KEYLEDGER_MANAGEMENT_KEY';

/** These tests read what no running gateway shows. The tests fetch no Traefik. */
describe('deploy/gateways', () => {
  it('has nginx ask without the body of the client', () => {
    expect(gatewayFile('nginx')).toContain('proxy_pass_request_body off;');
  });

  it('has Traefik become the gateway, then ask, then remove keys', () => {
    const regex = '(?i)^keyledger';
    expect(parse(gatewayFile('traefik'))).toMatchObject({
      http: {
        routers: { api: { middlewares: ['as-gateway', 'ask-keyledger', 'without-keys'] } },
        middlewares: {
          'as-gateway': {
            headers: {
              customRequestHeaders: {
                'Keyledger-Authorization': `Bearer {{ env "${KEY}" }}`,
                'Keyledger-Limit-Status': '429',
                'Keyledger-Require-Workspace': '',
                'Keyledger-End-User': '',
              },
            },
          },
          'ask-keyledger': {
            forwardAuth: {
              authRequestHeaders: [
                'Authorization',
                'X-API-Key',
                'Keyledger-Authorization',
                'Keyledger-Limit-Status',
                'Keyledger-Require-Workspace',
                'Keyledger-End-User',
              ],
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
