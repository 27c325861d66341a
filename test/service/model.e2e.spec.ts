import { beforeAll, describe, it } from '@jest/globals';
import fc from 'fast-check';
import { ModelRun } from '../support/harness/model-run.js';
import { anyStep, firstSteps } from '../support/harness/model-steps.js';
import { runningApp } from '../support/harness/running-app.js';

const STEPS = { minLength: 30, maxLength: 60 };
const RUNS = 250;
const TIME_LIMIT_MS = 8_000;

describe('the service and a plain model of its rules', () => {
  const service = runningApp();
  let apiKey: string;

  beforeAll(async () => {
    const created = await service.client.post<{ key: string }>('/v1/keys', { name: 'no manager' });
    apiKey = created.body.key;
  });

  it('give the same answers to any steps of callers and operators', async () => {
    const agree = fc.asyncProperty(fc.array(anyStep, STEPS), async (steps) => {
      const run = await ModelRun.begin(service, apiKey);
      for (const step of [...firstSteps, ...steps]) await run.take(step);
    });
    await fc.assert(agree, {
      numRuns: RUNS,
      interruptAfterTimeLimit: TIME_LIMIT_MS,
      includeErrorInReport: true,
    });
  }, 120_000);
});
