import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { keyledgerHere } from '../harness/command-in-process.js';
import { makeTempDirectory } from '../harness/temp-directory.js';
import { TORN_COPIES } from '../harness/torn-copies.js';

describe('a copy of the log whose files were copied one by one under load', () => {
  let directory: ReturnType<typeof makeTempDirectory>;
  let work: string;
  let copy: string;

  beforeEach(() => {
    directory = makeTempDirectory();
    work = join(directory.path, 'work');
    copy = join(directory.path, 'copy');
    mkdirSync(copy);
  });

  afterEach(() => {
    directory.remove();
  });

  it.each(TORN_COPIES)('is found by log verify: %s', async (_, make) => {
    await make(work, copy);
    expect(await keyledgerHere({ DATA_DIR: work }, 'log', 'verify')).toMatchObject({ code: 0 });
    const { code, stdout, stderr } = await keyledgerHere({ DATA_DIR: copy }, 'log', 'verify');
    expect(code).toBe(1);
    expect(stdout + stderr).toMatch(/^damage +[1-9]|malformed/m);
  });

  it.each(TORN_COPIES)('is found by the doctor: %s', async (_, make) => {
    await make(work, copy);
    const doctor = (DATA_DIR: string) => keyledgerHere({ DATA_DIR }, 'doctor');
    expect((await doctor(work)).stdout).not.toMatch(/^fail/m);
    const { code, stdout } = await doctor(copy);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^fail +event log /m);
  });

  it.each(TORN_COPIES)('is not restored: %s', async (_, make) => {
    await make(work, copy);
    const target = join(directory.path, 'target');
    mkdirSync(target);
    const given = join(copy, 'events.db');
    const { code, stdout, stderr } = await keyledgerHere({ DATA_DIR: target }, 'restore', given);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/the backup .*events\.db (is damaged|cannot be copied)/);
  });
});
