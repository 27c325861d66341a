import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parseAllDocuments } from 'yaml';
import { keyledgerHere } from '../../support/harness/command-in-process.js';
import { onlyWhereInstalled } from '../../support/harness/only-on.js';
import { directoryOfEach } from '../../support/harness/stage.js';
import { run } from '../docs/commands.js';
import { read } from '../docs/markdown.js';
import { replaced } from './proxy.js';
import { settingNames } from './setting-names.js';

const CONTAINER = 'spec.template.spec.containers.0';

const get = (of: unknown, name: string): unknown =>
  (Object(of) as Readonly<Record<string, unknown>>)[name];

/** Gives a part of the only object of a kind in a manifest. */
function partOf(kind: string, path: string, file = 'deploy/kubernetes-embedded.yaml'): unknown {
  const objects = parseAllDocuments(read(file)).map((document) => document.toJS() as unknown);
  const object = objects.find((each) => get(each, 'kind') === kind);
  return path.split('.').reduce(get, object);
}

const backup = partOf('CronJob', `spec.jobTemplate.${CONTAINER}.command`) as readonly string[];

describe('deploy/kubernetes-embedded.yaml', () => {
  const directory = directoryOfEach();

  it('is one replica that runs like those of deploy/kubernetes.yaml, with settings that exist', () => {
    expect(partOf('StatefulSet', 'spec.replicas')).toBe(1);
    for (const part of ['image', 'ports', 'livenessProbe', 'readinessProbe', 'securityContext']) {
      const path = `${CONTAINER}.${part}`;
      const ofReplicas = partOf('Deployment', path, 'deploy/kubernetes.yaml');
      expect({ part, is: partOf('StatefulSet', path) }).toEqual({ part, is: ofReplicas });
    }
    const env = partOf('StatefulSet', `${CONTAINER}.env`) as readonly { readonly name: string }[];
    expect(settingNames()).toEqual(expect.arrayContaining(env.map(({ name }) => name)));
  });

  it('backs up by a user who may only run commands in the pod of the service', () => {
    expect(backup.slice(0, 3)).toEqual(['kubectl', 'exec', 'keyledger-0']);
    const of = { apiGroups: [''], resourceNames: ['keyledger-0'] };
    expect(partOf('Role', 'rules')).toEqual([
      { ...of, resources: ['pods'], verbs: ['get'] },
      { ...of, resources: ['pods/exec'], verbs: ['create', 'get'] },
    ]);
  });

  it('makes a backup, and removes those of more than 7 days ago', async () => {
    const settings = { DATA_DIR: join(directory.path, 'data') };
    await keyledgerHere(settings, 'accounts', 'create', '--name', 'A', '--owner', 'ada');
    const backups = join(directory.path, 'backups');
    const old = join(backups, '20260101T020000Z');
    mkdirSync(old, { recursive: true });
    utimesSync(old, 0, 0);
    const script = replaced(backup.at(-1) ?? '', [
      ['/backups/', `${backups}/`],
      ['find /backups', `find ${backups}`],
    ]);
    expect(await run(script, settings)).toMatchObject({ code: 0, stderr: '' });
    const [made = '', ...others] = readdirSync(backups);
    expect(others).toEqual([]);
    expect(readdirSync(join(backups, made))).toEqual(['events.db', 'usage.db']);
  });
});

const UNIT = 'deploy/keyledger.service';

describe(UNIT, () => {
  it('starts the built service, with settings that exist', () => {
    expect(read(UNIT)).toMatch(/^ExecStart=\S+ node dist\/main\.js$/m);
    const environment = /^Environment=NODE_ENV=production (.*)$/m.exec(read(UNIT))?.[1] ?? '';
    const names = environment.split(' ').map((pair) => pair.split('=')[0]);
    expect(settingNames()).toEqual(expect.arrayContaining(names));
  });

  onlyWhereInstalled('systemd-analyze')('in the eyes of systemd', () => {
    it('has no fault', () => {
      const args = ['verify', '--man=no', UNIT];
      const { status, stderr } = spawnSync('systemd-analyze', args, { encoding: 'utf8' });
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    });
  });
});
