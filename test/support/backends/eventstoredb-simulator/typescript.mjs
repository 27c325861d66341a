import { readFile } from 'node:fs/promises';
import { isMainThread } from 'node:worker_threads';
import { register } from 'node:module';
import { fileURLToPath } from 'node:url';
import { transform } from '@swc/core';

// Lets Node run the simulator from its sources, so that no stale build is used. Node loads this
// file twice: with `--import`, where it registers itself, and in the thread of the hooks.
if (isMainThread) register(import.meta.url);

const OWN_SOURCE = /^\.{1,2}\/.*\.js$/;

/** The sources import each other by the names of the compiled files. */
export async function resolve(specifier, context, nextResolve) {
  if (!OWN_SOURCE.test(specifier) || !context.parentURL?.endsWith('.ts')) {
    return nextResolve(specifier, context);
  }
  return nextResolve(specifier.replace(/\.js$/, '.ts'), context);
}

export async function load(url, context, nextLoad) {
  if (!url.endsWith('.ts')) return nextLoad(url, context);
  const path = fileURLToPath(url);
  const { code } = await transform(await readFile(path, 'utf8'), {
    filename: path,
    sourceMaps: 'inline',
    jsc: { target: 'es2023', parser: { syntax: 'typescript' } },
    module: { type: 'es6' },
  });
  return { format: 'module', source: code, shortCircuit: true };
}
