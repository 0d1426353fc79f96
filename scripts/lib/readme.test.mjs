import { existsSync, readFileSync, statSync } from 'node:fs';
import { expect, it } from 'vitest';
import { fromRoot } from './paths.mjs';

const readme = readFileSync(fromRoot('README.md'), 'utf8');
const lines = readme.trimEnd().split('\n');

/** @type {unknown} */
const packageFile = JSON.parse(readFileSync(fromRoot('package.json'), 'utf8'));
const { scripts } = /** @type {{scripts: Record<string, string>}} */ (packageFile);

it('[DOC-readme] has fewer than 150 lines, and no table cell over 120 characters', () => {
  expect(lines.length).toBeLessThan(150);
  const cells = lines.filter((line) => line.startsWith('|')).flatMap((line) => line.split('|'));
  expect(cells.map((cell) => cell.trim()).filter((cell) => cell.length > 120)).toEqual([]);
});

it('[DOC-readme] names only commands that exist', () => {
  const named = [...readme.matchAll(/npm (?:run )?(?:-s )?([a-z][a-z:-]*)/g)].map(([, name = '']) => name);
  expect(named.length).toBeGreaterThan(8);
  expect(named.filter((name) => !Object.hasOwn(scripts, name))).toEqual([]);
});

it('[DOC-readme] shows pictures and links files that exist, and an animation under 2 MB', () => {
  const targets = [...readme.matchAll(/\]\(([^)]+)\)/g)].map(([, target = '']) => target);
  expect(targets).toContain('docs/images/demo.gif');
  expect(targets.filter((target) => !existsSync(fromRoot(target)))).toEqual([]);
  expect(statSync(fromRoot('docs/images/demo.gif')).size).toBeLessThan(2_000_000);
});

it('[DOC-readme] takes its numbers from the measured results', () => {
  const measured = readFileSync(fromRoot('docs/acceptance.md'), 'utf8');
  const pooled = /\| tokens, 56 tools +\| ([\d.]+) +\| [\d.]+ +\| ([\d.]+)/.exec(measured) ?? [];
  const saved = pooled.slice(1).map((ratio) => `${Math.round((1 - Number(ratio)) * 100)} % fewer`);
  expect(saved).toHaveLength(2);
  for (const number of saved) expect(readme).toContain(number);
  const [, scripted, , hard] =
    /(\d+) hostile scripts, worst past a limit: soft, hard +\| (\d+), (\d+) ms/.exec(measured) ?? [];
  expect(readme).toContain(`${scripted} hostile scripts`);
  expect(readme).toContain(`${hard} ms past`);
  expect(/"kills in a run"` \((\d+)\)/.exec(measured)?.[1]).toBe(/\*\*(\d+) runs killed/.exec(readme)?.[1]);
});
