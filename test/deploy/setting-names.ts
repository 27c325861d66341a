import { readSettings } from '../../src/settings/settings.js';

/** The names of all settings: what is looked up in the environment when they are read. */
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
