import { readSettings, SettingsError } from '../../../src/host/settings/settings.js';

/** Gives the faults that stop a start with these variables. */
export function faultsOf(environment: Readonly<Record<string, string>>): readonly string[] {
  try {
    readSettings(environment);
  } catch (error) {
    if (error instanceof SettingsError) return error.faults;
    throw error;
  }
  return [];
}
