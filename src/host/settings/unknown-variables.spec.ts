import { describe, expect, it } from '@jest/globals';
import { readSettings } from './settings.js';
import { unknownVariables } from './unknown-variables.js';

describe('unknown variables', () => {
  it.each([
    ['KEYLEDGER_SERVICE_HOST', '10.0.0.1'],
    ['KEYLEDGER_API_SERVICE_HOST', '10.0.0.1'],
    ['KEYLEDGER_SERVICE_PORT', '3000'],
    ['KEYLEDGER_SERVICE_PORT_HTTP', '3000'],
    ['KEYLEDGER_PORT', 'tcp://10.0.0.1:3000'],
    ['KEYLEDGER_PORT_3000_TCP', 'tcp://10.0.0.1:3000'],
    ['KEYLEDGER_PORT_3000_TCP_ADDR', '10.0.0.1'],
    ['KEYLEDGER_1_PORT_3000_TCP_PROTO', 'tcp'],
  ])('leave out %s=%s, which a cluster sets for its services', (name, value) => {
    expect(unknownVariables({ [name]: value })).toEqual([]);
    expect(readSettings({ [name]: value }).port).toBe(3000);
  });
});
