import { expect, it } from 'vitest';
import { isLoopback } from './loopback';

it.each([
  ['http://localhost:11434', true],
  ['http://localhost.:11434', true],
  ['http://models.localhost', true],
  ['http://127.1', true],
  ['http://[0:0:0:0:0:0:0:1]', true],
  ['http://[::ffff:127.0.0.2]', true],
  ['http://localhost.example.com', false],
  ['http://127.0.0.1.example.com', false],
  ['http://[::ffff:93.184.216.34]', false],
  ['http://[::ffff:8.127.0.1]', false],
  ['http://10.0.0.1', false],
])('[OAUTH-hostile] whether %s leads to this computer: %s', (url, expected) => {
  expect(isLoopback(new URL(url).hostname)).toBe(expected);
});
