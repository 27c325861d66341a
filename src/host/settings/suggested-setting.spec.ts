import { describe, expect, it } from '@jest/globals';
import { settingNames } from '../../../test/project/deploy/setting-names.js';
import { suggestedSetting } from './suggested-setting.js';

const SETTINGS = settingNames();
/** Variables that other programs set. */
const OF_OTHERS = `
  HOSTNAME HOME PATH PWD SHELL LOGNAME TERM TMPDIR DISPLAY XDG_DATA_DIRS LOG_FORMAT NODE_ENV NODE_OPTIONS
  KUBERNETES_PORT KUBERNETES_SERVICE_HOST MONGODB_PORT MONGODB_SERVICE_HOST REDIS_PORT REDIS_URL DATABASE_URL
  SQLITE_TMPDIR APPLICATIONINSIGHTS_CONNECTION_STRING npm_config_loglevel
`
  .trim()
  .split(/\s+/);

describe('a variable', () => {
  it.each([
    ['MONGODB_URL', 'MONGODB_URI'],
    ['MONGO_URI', 'MONGODB_URI'],
    ['OPERATION_PORT', 'OPERATIONS_PORT'],
    ['DATADIR', 'DATA_DIR'],
    ['PORTS', 'PORT'],
    ['LOGGING_LEVEL', 'LOG_LEVEL'],
    ['EVENTSTORE_CONNECTION_STRING', 'EVENTSTOREDB_CONNECTION_STRING'],
    ['EVENTSTOREDB_CONNECTION', 'EVENTSTOREDB_CONNECTION_STRING'],
    ['BOOTSTRAP_KEY', 'BOOTSTRAP_MANAGEMENT_KEY'],
    ['READ_OWN_WRITES_TIMEOUT', 'READ_YOUR_WRITES_TIMEOUT'],
    ['QUOTA_OF_WORKSPACE_MEMBERS', 'QUOTA_WORKSPACE_MEMBERS'],
  ])('%s was meant to be %s', (variable, setting) => {
    expect(suggestedSetting(variable, SETTINGS)).toBe(setting);
  });

  it.each(OF_OTHERS)('%s, which other programs set, was meant to be none', (variable) => {
    expect(suggestedSetting(variable, SETTINGS)).toBeUndefined();
  });
});
