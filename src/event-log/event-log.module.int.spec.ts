import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import type { LoggerService } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { z } from 'zod';
import { makeTempDirectory } from '../../test/harness/temp-directory.js';
import { defineEvent, newInThisRelease } from '../kernel/event.js';
import { type EventLogSettings, EventLogModule } from './event-log.module.js';
import { EventRegistry } from './event-registry.js';

const painted = newInThisRelease(defineEvent('Painted', 1, z.object({})));
/** There is no server, and no call is made. */
const ON_A_SERVER = 'esdb://127.0.0.1:1?tls=false';

/** Starts a log. Gives the warnings of the start, and whether the service writes the new version. */
async function started(
  settings: Partial<EventLogSettings>,
): Promise<{ warnings: unknown[]; writes: boolean }> {
  const directory = makeTempDirectory();
  const warnings: unknown[] = [];
  const silent = (): void => undefined;
  const logger: LoggerService = {
    log: silent,
    error: silent,
    warn: (message: unknown) => void warnings.push(message),
  };
  const all = { dataDir: directory.path, eventStoreDbConnectionString: undefined, ...settings };
  const module = EventLogModule.register(all, [painted]);
  const context = await NestFactory.createApplicationContext(module, { logger });
  try {
    return { warnings, writes: context.get(EventRegistry).waiting.length === 0 };
  } finally {
    await context.close();
    directory.remove();
  }
}

describe('An event version that the release before cannot read', () => {
  it('waits on a log server, and a warning names it', async () => {
    expect(await started({ eventStoreDbConnectionString: ON_A_SERVER })).toEqual({
      warnings: [expect.objectContaining({ waiting: ['Painted version 1'] })],
      writes: false,
    });
  });

  it.each<Partial<EventLogSettings>>([
    { eventStoreDbConnectionString: ON_A_SERVER, writeNewEventVersions: true },
    {},
  ])('is written at once, without a word, with %j', async (settings) => {
    expect(await started(settings)).toEqual({ warnings: [], writes: true });
  });
});
