import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { onlyWhereInstalled } from '../../support/harness/only-on.js';
import { type ApiBehind, type FixedAnswers, startApi, startFixedAnswers } from './api-behind.js';
import { GATEWAYS, rulesOf, startGateway } from './gateway.js';
import type { RunningProgram } from './running-program.js';

/** The gateways of deploy/gateways/ treat answers by these rules, whichever server gives them. */
describe('the table of deploy/gateways/README.md', () => {
  let api: ApiBehind;
  let keyledger: FixedAnswers;

  beforeAll(async () => {
    api = await startApi();
    keyledger = await startFixedAnswers();
  });

  afterAll(async () => {
    await keyledger.stop();
    await api.stop();
  });

  it('has a rule of each gateway for every answer', () => {
    const answers = [
      '200',
      '204',
      '401',
      '402',
      '403',
      '429',
      '302',
      '400',
      '500',
      '503',
      'nothing',
    ];
    for (const name of GATEWAYS) {
      expect(rulesOf(name).map(([answer]) => answer)).toEqual(answers);
      for (const [answer, client] of rulesOf(name)) {
        const isSuccess = answer.startsWith('2');
        expect(client).toMatch(isSuccess ? /^(?:passes|204)$/ : /^[345]\d\d$/);
      }
    }
  });

  for (const name of GATEWAYS) {
    onlyWhereInstalled(name)(`as ${name} follows it`, () => {
      let gateway: RunningProgram;

      beforeAll(async () => {
        keyledger.answer = 200;
        gateway = await startGateway(name, {
          keyledger: keyledger.address,
          api: api.address,
          managementKey: 'a-key',
        });
        api.arrived();
      });

      afterAll(() => gateway.stop());

      it.each(rulesOf(name))('makes of the answer %s: %s', async (answer, client) => {
        keyledger.answer = answer === 'nothing' ? 'broken' : Number(answer);
        const response = await fetch(gateway.address, { redirect: 'manual' });
        await response.arrayBuffer();
        expect(response.status).toBe(client === 'passes' ? 200 : Number(client));
        expect(api.arrived()).toHaveLength(client === 'passes' ? 1 : 0);
      });

      if (name === 'traefik') return;

      it('lets nobody in when no answer comes within 2 s', async () => {
        keyledger.answer = 'silent';
        const response = await fetch(gateway.address, { signal: AbortSignal.timeout(5_000) });
        expect(response.status).toBe({ nginx: 503, caddy: 504, envoy: 503 }[name]);
        expect(api.arrived()).toEqual([]);
      });
    });
  }
});
