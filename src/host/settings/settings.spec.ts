import { resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { faultsOf } from '../../../test/support/specs/faults-of-settings.js';
import { mintKeyString } from '../../kernel/key-string.js';
import { readSettings } from './settings.js';

const SERVERS = {
  EVENTSTOREDB_CONNECTION_STRING: 'esdb://127.0.0.1:2113?tls=false',
  MONGODB_URI: 'mongodb://127.0.0.1:27017/ledger',
};

describe('settings', () => {
  it('need nothing', () => {
    expect(readSettings({})).toEqual({
      HOST: '127.0.0.1',
      PORT: 3000,
      OPERATIONS_HOST: undefined,
      OPERATIONS_PORT: undefined,
      DOCS: true,
      CONSOLE: true,
      TRUSTED_PROXIES: [],
      DATA_DIR: resolve('data'),
      EVENTSTOREDB_CONNECTION_STRING: undefined,
      MONGODB_URI: undefined,
      BOOTSTRAP_MANAGEMENT_KEY: undefined,
      FOREIGN_KEYS: false,
      RATE_LIMIT_KEY_CREATION: { count: 600, seconds: 60 },
      RATE_LIMIT_WRITES: 'off',
      RATE_LIMIT_USAGE: { count: 6_000, seconds: 60 },
      RATE_LIMIT_STREAMS: { ofAccount: 4, inAll: 64 },
      QUOTA_WORKSPACES: 1_000,
      QUOTA_MANAGEMENT_KEYS: 1_000,
      QUOTA_MEMBERS: 10_000,
      QUOTA_WORKSPACE_MEMBERS: 100_000,
      QUOTA_API_KEYS: 1_000_000,
      MAX_CONNECTIONS: 4_096,
      KEEP_ALIVE_TIMEOUT: 75_000,
      READ_YOUR_WRITES_TIMEOUT: 2_000,
      VERIFY_MAX_STALENESS: 10_000,
      PUBLIC_URL: undefined,
      SHUTDOWN_DELAY: 0,
      LOG_LEVEL: 'info',
    });
  });

  it('are read from their variables', () => {
    const bootstrap = 'x'.repeat(32);
    const settings = readSettings({
      HOST: '::1',
      PORT: '0',
      OPERATIONS_PORT: '9000',
      PUBLIC_URL: 'https://keys.example.com/',
      DOCS: 'off',
      CONSOLE: 'off',
      TRUSTED_PROXIES: '10.0.0.0/8, ::1',
      DATA_DIR: '/var/lib/keyledger',
      EVENTSTOREDB_CONNECTION_STRING: 'esdb://127.0.0.1:2113?tls=false',
      EVENTSTOREDB_STREAM_PREFIX: 'billing_2',
      MONGODB_URI: 'mongodb+srv://user:password@cluster.example/ledger?tls=true',
      BOOTSTRAP_MANAGEMENT_KEY: bootstrap,
      FOREIGN_KEYS: 'on',
      RATE_LIMIT_KEY_CREATION: '5/1s',
      RATE_LIMIT_WRITES: '60000/60s',
      RATE_LIMIT_USAGE: '7/2s',
      RATE_LIMIT_STREAMS: '2,8',
      QUOTA_WORKSPACES: '1',
      QUOTA_MANAGEMENT_KEYS: '2',
      QUOTA_MEMBERS: '3',
      QUOTA_WORKSPACE_MEMBERS: '4',
      QUOTA_API_KEYS: '5',
      MAX_CONNECTIONS: '6',
      KEEP_ALIVE_TIMEOUT: '620s',
      READ_YOUR_WRITES_TIMEOUT: '250ms',
      VERIFY_MAX_STALENESS: '3s',
      SHUTDOWN_DELAY: '2s',
      LOG_LEVEL: 'silent',
    });
    expect(settings).toEqual({
      HOST: '::1',
      PORT: 0,
      OPERATIONS_PORT: 9000,
      PUBLIC_URL: 'https://keys.example.com',
      DOCS: false,
      CONSOLE: false,
      TRUSTED_PROXIES: ['10.0.0.0/8', '::1'],
      DATA_DIR: '/var/lib/keyledger',
      EVENTSTOREDB_CONNECTION_STRING: 'esdb://127.0.0.1:2113?tls=false',
      EVENTSTOREDB_STREAM_PREFIX: 'billing_2',
      MONGODB_URI: 'mongodb+srv://user:password@cluster.example/ledger?tls=true',
      BOOTSTRAP_MANAGEMENT_KEY: bootstrap,
      FOREIGN_KEYS: true,
      RATE_LIMIT_KEY_CREATION: { count: 5, seconds: 1 },
      RATE_LIMIT_WRITES: { count: 60_000, seconds: 60 },
      RATE_LIMIT_USAGE: { count: 7, seconds: 2 },
      RATE_LIMIT_STREAMS: { ofAccount: 2, inAll: 8 },
      QUOTA_WORKSPACES: 1,
      QUOTA_MANAGEMENT_KEYS: 2,
      QUOTA_MEMBERS: 3,
      QUOTA_WORKSPACE_MEMBERS: 4,
      QUOTA_API_KEYS: 5,
      MAX_CONNECTIONS: 6,
      KEEP_ALIVE_TIMEOUT: 620_000,
      READ_YOUR_WRITES_TIMEOUT: 250,
      VERIFY_MAX_STALENESS: 3_000,
      SHUTDOWN_DELAY: 2_000,
      LOG_LEVEL: 'silent',
    });
    expect(readSettings({ RATE_LIMIT_KEY_CREATION: 'off' }).RATE_LIMIT_KEY_CREATION).toBe('off');
  });

  it('count as absent when empty, and leave other variables alone', () => {
    expect(readSettings({ PORT: '', PATH: '/bin', HOME: '' }).PORT).toBe(3000);
  });

  it.each([
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['PORT', '3e3'],
    ['HOST', 'two words'],
    ['HOST', '[::1]'],
    ['HOST', '127.0.0.1:3000'],
    ['HOST', 'http://127.0.0.1'],
    ['OPERATIONS_HOST', '[::]'],
    ['KEEP_ALIVE_TIMEOUT', '0s'],
    ['KEEP_ALIVE_TIMEOUT', '3601s'],
    ['RATE_LIMIT_KEY_CREATION', '0/60s'],
    ['RATE_LIMIT_KEY_CREATION', '600/60'],
    ['RATE_LIMIT_KEY_CREATION', 'OFF'],
    ['OPERATIONS_PORT', 'http'],
    ['PUBLIC_URL', 'keys.example.com'],
    ['PUBLIC_URL', 'ftp://keys.example.com'],
    ['PUBLIC_URL', 'https://user@keys.example.com'],
    ['PUBLIC_URL', 'https://keys.example.com/?a'],
    ['DOCS', 'no'],
    ['CONSOLE', 'no'],
    ['EVENTSTOREDB_STREAM_PREFIX', 'a.b'],
    ['EVENTSTOREDB_STREAM_PREFIX', 'x'.repeat(33)],
    ['TRUSTED_PROXIES', '10.0.0.0/33'],
    ['TRUSTED_PROXIES', '10.0.0.1,proxy.example'],
    ['RATE_LIMIT_WRITES', '60000'],
    ['RATE_LIMIT_USAGE', '6000'],
    ['RATE_LIMIT_STREAMS', '4'],
    ['RATE_LIMIT_STREAMS', '4,0'],
    ['QUOTA_WORKSPACES', '0'],
    ['QUOTA_API_KEYS', '1e6'],
    ['MAX_CONNECTIONS', '-1'],
    ['READ_YOUR_WRITES_TIMEOUT', '2'],
    ['READ_YOUR_WRITES_TIMEOUT', '61s'],
    ['SHUTDOWN_DELAY', '0'],
    ['SHUTDOWN_DELAY', '5001ms'],
    ['LOG_LEVEL', 'loud'],
  ])('refuse %s=%s, naming the variable, the value and what it takes', (name, value) => {
    const faults = faultsOf({ [name]: value });
    expect(faults).toHaveLength(1);
    expect(faults[0]).toContain(`${name}: got "${value}"; takes `);
  });

  it.each([
    ['BOOTSTRAP_MANAGEMENT_KEY', 'too-short'],
    ['BOOTSTRAP_MANAGEMENT_KEY', 's'.repeat(31)],
    ['BOOTSTRAP_MANAGEMENT_KEY', 'x'.repeat(257)],
    ['BOOTSTRAP_MANAGEMENT_KEY', `${'x'.repeat(40)} y`],
    ['BOOTSTRAP_MANAGEMENT_KEY', `${'x'.repeat(40)}é`],
    ['BOOTSTRAP_MANAGEMENT_KEY', `${'x'.repeat(40)}\x07`],
    ['BOOTSTRAP_MANAGEMENT_KEY', `mk-v1-${'0'.repeat(64)}`],
    ['BOOTSTRAP_MANAGEMENT_KEY', mintKeyString('mk-v1-').slice(0, -1)],
    ['BOOTSTRAP_MANAGEMENT_KEY', `sk-v1-${'1'.repeat(64)}`],
    ['EVENTSTOREDB_CONNECTION_STRING', 'http://admin:changeit@localhost:2113'],
    ['EVENTSTOREDB_CONNECTION_STRING', 'kurrentdb://admin:changeit@localhost:2113'],
    ['EVENTSTOREDB_CONNECTION_STRING', 'kurrentdb+discover://admin:changeit@localhost:2113'],
    ['EVENTSTOREDB_CONNECTION_STRING', 'esdb://admin:change:it@localhost'],
    ['EVENTSTOREDB_CONNECTION_STRING', 'esdb://admin:100%@localhost'],
    ['EVENTSTOREDB_CONNECTION_STRING', 'esdb://admin:changeit@localhost?tlsVerifyCert=false'],
    ['EVENTSTOREDB_CONNECTION_STRING', 'esdb://admin:changeit@localhost?colour=blue'],
    ['EVENTSTOREDB_CONNECTION_STRING', 'esdb://admin:changeit@localhost?tls'],
    ['EVENTSTOREDB_CONNECTION_STRING', 'esdb://admin:changeit@localhost?tls&tls=false'],
    [
      'EVENTSTOREDB_CONNECTION_STRING',
      'esdb://admin:changeit@localhost?throwOnAppendFailure=false',
    ],
    ['MONGODB_URI', 'mysql://user:password@localhost'],
    ['MONGODB_URI', 'mongodb:///user:password'],
  ])('refuse a wrong %s without showing it', (name, value) => {
    const faults = faultsOf({ ...SERVERS, [name]: value });
    expect(faults).toHaveLength(1);
    expect(faults[0]).toContain(`${name}: got a value that is not shown; takes `);
    expect(faults[0]).not.toContain(value);
  });

  it.each([
    'esdb://localhost?tls=false',
    'esdb://localhost:65535?tls=false',
    'esdb://admin:changeit@db.example.com',
    'esdb://admin:p%40ss@10.0.0.1:2113/?tls_ca_file=test/support/tls/certificate.pem&keepAliveInterval=20000&tlsVerifyCert=true',
    'esdb://admin:changeit@a:2113,b:2113,c:2113?nodePreference=leader',
    'esdb+discover://admin:changeit@cluster.example.com:2113',
  ])('take the connection string %s', (connection) => {
    const settings = readSettings({ ...SERVERS, EVENTSTOREDB_CONNECTION_STRING: connection });
    expect(settings.EVENTSTOREDB_CONNECTION_STRING).toBe(connection);
  });

  it.each(['EVENTSTOREDB_CONNECTION_STRING', 'MONGODB_URI'] as const)(
    'refuse %s without the other server, naming both',
    (name) => {
      const alone = [
        `EVENTSTOREDB_CONNECTION_STRING and MONGODB_URI: got only ${name}; takes both or neither`,
      ];
      expect(faultsOf({ [name]: SERVERS[name] })).toEqual(alone);
      expect(faultsOf(SERVERS)).toEqual([]);
      expect(faultsOf({ [name]: 'wrong' })).toEqual([expect.stringContaining(name), ...alone]);
    },
  );

  it('take a management key of our own form for the first one', () => {
    const minted = mintKeyString('mk-v1-');
    expect(readSettings({ BOOTSTRAP_MANAGEMENT_KEY: minted }).BOOTSTRAP_MANAGEMENT_KEY).toBe(
      minted,
    );
  });

  it('report every fault at once, unknown KEYLEDGER_ variables included', () => {
    expect(faultsOf({ PORT: 'x', LOG_LEVEL: 'y', KEYLEDGER_PORT: '1' })).toEqual([
      expect.stringContaining('PORT'),
      expect.stringContaining('LOG_LEVEL'),
      'KEYLEDGER_PORT: there is no such setting; did you mean PORT?',
    ]);
    expect(faultsOf({ KEYLEDGER_COLOUR: '1' })).toEqual([
      'KEYLEDGER_COLOUR: there is no such setting',
    ]);
  });

  it.each([
    ['KEYLEDGER_SERVICE_HOST', '10.0.0.1'],
    ['KEYLEDGER_API_SERVICE_HOST', '10.0.0.1'],
    ['KEYLEDGER_SERVICE_PORT', '3000'],
    ['KEYLEDGER_SERVICE_PORT_HTTP', '3000'],
    ['KEYLEDGER_PORT', 'tcp://10.0.0.1:3000'],
    ['KEYLEDGER_PORT_3000_TCP', 'tcp://10.0.0.1:3000'],
    ['KEYLEDGER_PORT_3000_TCP_ADDR', '10.0.0.1'],
    ['KEYLEDGER_1_PORT_3000_TCP_PROTO', 'tcp'],
  ])('leave alone %s=%s, which a cluster sets for its services', (name, value) => {
    expect(faultsOf({ [name]: value })).toEqual([]);
    expect(readSettings({ [name]: value }).PORT).toBe(3000);
  });
});
