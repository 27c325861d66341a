import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { Spec, Validation } from '@cyclonedx/cyclonedx-library';
import { expect, it } from '@jest/globals';

interface Sbom {
  readonly metadata: { readonly component: object };
  readonly components: readonly Component[];
}

interface Component {
  readonly group?: string;
  readonly name: string;
  readonly version: string;
}

const PACKAGE = JSON.parse(readFileSync('package.json', 'utf8')) as {
  readonly name: string;
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
};

it('npm run sbom prints a valid CycloneDX document of what runs the service', async () => {
  const { stdout } = await promisify(execFile)('npm', ['run', '--silent', 'sbom'], {
    maxBuffer: Infinity,
  });
  const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6);
  expect(await validator.validate(stdout)).toBeNull();
  const { metadata, components } = JSON.parse(stdout) as Sbom;
  const { name, version, dependencies } = PACKAGE;
  expect(metadata.component).toMatchObject({ type: 'application', name, version });
  const listed = components.map((one) => [
    one.group === undefined ? one.name : `${one.group}/${one.name}`,
    one.version,
  ]);
  expect(listed).toEqual(expect.arrayContaining(Object.entries(dependencies)));
  const names = listed.map(([listedName]) => listedName);
  for (const tool of ['jest', 'eslint']) expect(names).not.toContain(tool);
}, 60_000);
