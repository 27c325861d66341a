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

interface Template {
  readonly spec: {
    readonly containers: readonly [
      {
        readonly command: readonly string[];
        readonly env: readonly { readonly name: string; readonly value: string }[];
      },
    ];
  };
}

interface KubernetesObject {
  readonly kind: string;
  readonly spec: {
    readonly replicas: number;
    readonly template: Template;
    readonly jobTemplate: { readonly spec: { readonly template: Template } };
  };
}

function objectsIn(file: string): ReadonlyMap<string, KubernetesObject> {
  const objects = parseAllDocuments(read(file)).map((each) => each.toJS() as KubernetesObject);
  return new Map(objects.map((object) => [object.kind, object]));
}

const objects = objectsIn('deploy/kubernetes-embedded.yaml');
const { spec: set } = objects.get('StatefulSet') ?? {};
const service = set?.template.spec.containers[0];
const backup = objects.get('CronJob')?.spec.jobTemplate.spec.template.spec.containers[0].command;

describe('deploy/kubernetes-embedded.yaml', () => {
  const directory = directoryOfEach();

  it('is one replica that runs like those of deploy/kubernetes.yaml, with settings that exist', () => {
    const others = objectsIn('deploy/kubernetes.yaml');
    expect(objects.get('NetworkPolicy')).toEqual(others.get('NetworkPolicy'));
    const replica = others.get('Deployment')?.spec.template.spec.containers[0] ?? {};
    for (const part of ['image', 'ports', 'livenessProbe', 'readinessProbe', 'securityContext'])
      expect(service).toHaveProperty(part, Reflect.get(replica, part));
    const names = service?.env.map(({ name }) => name) ?? [];
    expect(settingNames()).toEqual(expect.arrayContaining(names));
    expect(set?.replicas).toBe(1);
    expect([...objects.keys()]).not.toContain('Secret');
  });

  it('backs up by a user who may only run commands in the pod of the service', () => {
    expect(backup?.slice(0, 3)).toEqual(['kubectl', 'exec', 'keyledger-0']);
    const of = { apiGroups: [''], resourceNames: ['keyledger-0'] };
    expect(objects.get('Role')).toMatchObject({
      rules: [
        { ...of, resources: ['pods'], verbs: ['get'] },
        { ...of, resources: ['pods/exec'], verbs: ['create', 'get'] },
      ],
    });
  });

  it('makes a backup, and removes those of more than 7 days ago', async () => {
    const settings = { DATA_DIR: join(directory.path, 'data') };
    await keyledgerHere(settings, 'accounts', 'create', '--name', 'A', '--owner', 'ada');
    const backups = join(directory.path, 'backups');
    const old = join(backups, '20260101T020000Z');
    mkdirSync(old, { recursive: true });
    utimesSync(old, 0, 0);
    const script = replaced(backup?.at(-1) ?? '', [
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
    expect(environment).toContain('DATA_DIR=/var/lib/keyledger');
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
