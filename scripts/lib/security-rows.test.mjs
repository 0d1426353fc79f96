import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { citedIn, readRequirements } from '../coverage-gate.mjs';
import { fromRoot } from './paths.mjs';

const lines = readFileSync(fromRoot('SECURITY.md'), 'utf8').split('\n');
const [, , ...protections] = lines.filter((line) => line.startsWith('|'));
const known = new Set(readRequirements(fromRoot('e2e/requirements')).map(({ id }) => id));

it('every protection in SECURITY.md names a requirement whose test fails without it', () => {
  expect(protections.length).toBeGreaterThan(10);
  expect(protections.filter((line) => citedIn(line).length === 0)).toEqual([]);
});

it('every requirement that SECURITY.md names is listed, so the coverage gate asks for its test', () => {
  expect(lines.flatMap(citedIn).filter((id) => !known.has(id))).toEqual([]);
});
