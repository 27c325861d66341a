import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { VERSION } from './version.js';

it('the version of the service is the version of its package', () => {
  expect(JSON.parse(readFileSync('package.json', 'utf8'))).toMatchObject({ version: VERSION });
});

it.each(['docker-compose.yml', 'deploy/kubernetes.yaml', 'docs/operations/deploy.md'])(
  'the image that %s names has the version of the service',
  (file) => {
    const tags = [...readFileSync(file, 'utf8').matchAll(/\bkeyledger:(\d[\w.-]*)/g)];
    expect(tags.length).toBeGreaterThan(0);
    expect(new Set(tags.map(([, tag]) => tag))).toEqual(new Set([VERSION]));
  },
);
