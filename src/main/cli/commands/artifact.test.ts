import { afterEach, expect, it } from 'vitest';
import { startMain, type MainHarness } from '../../../testing/main-harness';
import { must } from '../../../testing/stored-session';
import type { Terminal } from '../output';
import { artifactListCommand } from './artifact';

let harness: MainHarness;
afterEach(() => harness.close());

function listed(json: boolean): string {
  const said: string[] = [];
  const terminal = { json, out: (text: string) => void said.push(text) } as unknown as Terminal;
  expect(artifactListCommand(harness.app, terminal)).toBe(0);
  return said.join('');
}

it('[ART-size] the list of artifacts ends with their number and total size, for people', async () => {
  harness = await startMain();
  expect(listed(false)).toBe('There are no artifacts in this project folder.\n');
  const shelf = harness.app.artifacts(harness.home);
  const first = must(shelf.put('one', 'text', 'é'));
  expect(listed(false)).toBe(`${first.handle}  2 bytes\n1 artifact, 2 bytes in all\n`);
  must(shelf.put('two', 'text', 'another'));
  expect(listed(false).trimEnd().split('\n').at(-1)).toBe('2 artifacts, 9 bytes in all');
  expect((JSON.parse(listed(true)) as object[]).length).toBe(2);
});
