import { readSettings } from '../../../src/host/settings/settings.js';

/**
 * Gives the names of all settings, by recording what the settings reader looks up in the
 * environment.
 */
export function settingNames(): string[] {
  const names = new Set<string>();
  const environment = new Proxy<Record<string, string | undefined>>(
    {},
    {
      get: (_, name) => {
        names.add(String(name));
        return undefined;
      },
    },
  );
  readSettings(environment);
  return [...names];
}
