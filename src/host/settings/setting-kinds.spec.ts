import { describe, expect, it } from '@jest/globals';
import { faultsOf } from '../../../test/support/specs/faults-of-settings.js';
import { misspeltVariables } from './settings.js';

const SERVERS = {
  EVENTSTOREDB_CONNECTION_STRING: 'esdb://127.0.0.1:2113?tls=false',
  MONGODB_URI: 'mongodb://127.0.0.1:27017/ledger',
};

describe('settings', () => {
  it.each([
    ['PORT', '65536', '65535'],
    ['RATE_LIMIT_WRITES', '0/60s', 'COUNT from 1 to'],
    ['RATE_LIMIT_WRITES', '1000000000/60s', '999999999 and'],
    ['RATE_LIMIT_WRITES', '1/31536000s', 'SECONDS from 1 to 999999'],
    ['RATE_LIMIT_STREAMS', '4,10001', '10000'],
    ['TRUSTED_PROXIES', '10.0.0.0/33', 'up to 32'],
    ['TRUSTED_PROXIES', '::1/129', '128 for IPv6'],
    ['EVENTSTOREDB_STREAM_PREFIX', 'x'.repeat(33), '1 to 32'],
    ['QUOTA_API_KEYS', '1000000000', '999999999'],
    ['KEEP_ALIVE_TIMEOUT', '3601s', '3600s'],
    ['BOOTSTRAP_MANAGEMENT_KEY', 'x'.repeat(257), '256'],
  ])(
    'of the right form, %s=%s, are refused with the bound that they break',
    (name, value, bound) => {
      expect(faultsOf({ [name]: value })).toEqual([expect.stringContaining(bound)]);
    },
  );

  it('show which option of a connection string is wrong, unless it may be of a password', () => {
    const named = (connection: string): unknown =>
      faultsOf({ ...SERVERS, EVENTSTOREDB_CONNECTION_STRING: connection });
    const wrong = ['colour=blue', 'keepAliveInterval=9999', 'gossipTimeout=0', 'connectionName='];
    for (const option of wrong)
      expect(named(`esdb://u:hunter2@h?tls=true&${option}`)).toEqual([
        expect.stringMatching(`not shown; takes .* only: see ${option.replace(/=.*/, '')}$`),
      ]);
    for (const secret of ['esdb://u:12?part=of&the=password@h', 'esdb://u:part?of=password'])
      expect(named(secret)).toEqual([expect.stringMatching(/ docs\/settings\.md only$/)]);
  });

  it('warn of variables that were probably meant to be one, and show no values', () => {
    const environment = { OPERATION_PORT: '9100', HOSTNAME: 'a', LOG_LEVELS: '', DATADIR: '/data' };
    expect(misspeltVariables(environment)).toEqual([
      'OPERATION_PORT is not a setting; did you mean OPERATIONS_PORT?',
      'DATADIR is not a setting; did you mean DATA_DIR?',
    ]);
    const files = ['MONGODB_URI', 'EVENTSTOREDB_CONNECTION_STRING', 'BOOTSTRAP_MANAGEMENT_KEY'];
    expect(
      misspeltVariables(Object.fromEntries(files.map((name) => [`${name}_FILE`, '/']))),
    ).toEqual([]);
  });
});
