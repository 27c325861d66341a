import { readdirSync, readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect } from '@jest/globals';
import { type Backends, freshBackends } from '../support/harness/backends.js';
import { onlyOnLinux } from '../support/harness/only-on.js';
import { type ServiceProcess, startService } from '../support/harness/service-process.js';

const onLinux = onlyOnLinux('a thread has a priority of its own there alone');

describe('the threads of a service', () => {
  let backends: Backends;
  let service: ServiceProcess;

  beforeEach(async () => {
    backends = await freshBackends();
    service = await startService(backends.settings);
  });

  afterEach(async () => {
    await service.stop();
    await backends.dispose();
  });

  onLinux('take requests before one of them folds what was written', () => {
    const tasks = `/proc/${service.child.pid ?? 0}/task`;
    const giveWay = readdirSync(tasks).filter((task) => nicenessOf(`${tasks}/${task}`) > 0);
    expect(giveWay).toHaveLength(1);
    expect(giveWay).not.toContain(String(service.child.pid));
  });
});

/** Gives the 19th field of /proc/…/stat. The second field, in brackets, may contain spaces. */
function nicenessOf(task: string): number {
  const afterName = readFileSync(`${task}/stat`, 'utf8').split(') ').at(-1) ?? '';
  return Number(afterName.split(' ')[16]);
}
