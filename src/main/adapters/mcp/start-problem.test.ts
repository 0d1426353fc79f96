import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createChildLinePort } from './child-line-port';

const folder = mkdtempSync(join(tmpdir(), 'patina-start-'));

/** How the start of a command ended, with a PATH that contains no programs. */
const start = (command: string, cwd = folder) =>
  new Promise<string>((resolve) =>
    createChildLinePort({ command, args: [], env: { PATH: folder }, cwd }).onExit(({ detail }) =>
      resolve(detail),
    ),
  );

describe('[MCP-start-explained] a server that cannot be started says what to do', () => {
  it.each(['npx', 'uvx', 'docker'])('%s that does not exist', async (command) => {
    const detail = await start(command);
    expect(detail).toContain(`could not be started: there is no program "${command}" on the PATH`);
    expect(detail).toMatch(/Install (Node\.js|uv|Docker), or give the program's full path/);
  });

  it('a program of the user that does not exist, by name and by path', async () => {
    expect(await start('my-server')).toContain('Give the program\'s full path ("which my-server"');
    expect(await start(join(folder, 'gone'))).toBe(
      `could not be started: there is no program ${join(folder, 'gone')}`,
    );
  });

  it('a missing working folder is not reported as a missing program', async () => {
    const gone = join(folder, 'gone');
    expect(await start(process.execPath, gone)).toBe(
      `could not be started: its working folder ${gone} does not exist`,
    );
  });

  it('a file that is not a program', async () => {
    const file = join(folder, 'notes.txt');
    writeFileSync(file, 'not a program', { mode: 0o644 });
    expect(await start(file)).toContain('cannot be run');
  });
});
