import { describe, expect, it } from '@jest/globals';
import { parseOrigins, parseSample } from './values.js';

describe('a sample', () => {
  it.each([
    ['all', 1],
    ['1/1', 1],
    ['1/100', 100],
    ['1/1000000', 1_000_000],
    ['errors', Infinity],
  ])('of %s has one success in %d', (value, oneIn) => {
    expect(parseSample(value)).toBe(oneIn);
  });

  it.each(['none', 'ALL', '1/0', '1/1000001', '2/3', '0.1', '1/', '10%'])('is not %s', (value) => {
    expect(parseSample(value)).toBeUndefined();
  });
});

describe('origins', () => {
  it('are taken as browsers send them', () => {
    const origins = ['https://admin.example.com', 'http://localhost:5173', 'http://[::1]:3000'];
    expect(parseOrigins(origins.join(', '))).toEqual(origins);
  });

  it.each([
    '*',
    'null',
    'admin.example.com',
    'https://admin.example.com/',
    'https://admin.example.com/path',
    'https://admin.example.com:443',
    'https://Admin.example.com',
    'https://user@admin.example.com',
    'https://*.example.com',
    'ftp://admin.example.com',
    'https://admin.example.com,',
  ])('are not %s', (value) => {
    expect(parseOrigins(value)).toBeUndefined();
  });
});
