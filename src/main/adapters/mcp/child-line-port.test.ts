import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { buildEntry } from '../../../testing/build-entry';

const HOSTILE = fileURLToPath(
  new URL('../../../testing/hostile-servers/hostile-server.mjs', import.meta.url),
);

const running = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

/**
 * A program that starts a server through the built adapter, prints its process id, and ends as the script
 * specifies.
 */
async function startProgram(
  server: readonly string[],
  ending: string,
): Promise<{ pid: number; kill: () => void }> {
  const adapter = await buildEntry('main/adapters/mcp/child-line-port.ts');
  const script = `
    import { createChildLinePort } from ${JSON.stringify(adapter)};
    const args = ${JSON.stringify(server)};
    const port = createChildLinePort({ command: process.execPath, args, env: {}, cwd: process.cwd() });
    console.log(port.pid);
    process.stdin.on('data', () => { ${ending} });
  `;
  const program = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [line] = (await once(createInterface({ input: program.stdout }), 'line')) as [string];
  const pid = Number(line);
  expect(running(pid)).toBe(true);
  return {
    pid,
    kill: () => {
      if (ending === '') program.kill('SIGKILL');
      else program.stdin.write('end\n');
    },
  };
}

describe('child processes end with the app [H60]', () => {
  it.each(['process.exit(0)', 'process.exit(1)', 'throw new Error("bug")'])(
    'a server that ignores SIGTERM ends with %s',
    async (ending) => {
      const program = await startProgram([HOSTILE, 'stubborn'], ending);
      program.kill();
      await expect.poll(() => running(program.pid), { timeout: 5_000 }).toBe(false);
    },
  );

  it('our own server ends by itself when the app is killed with SIGKILL', async () => {
    const server = await buildEntry('project-server/index.ts');
    const program = await startProgram([server, process.cwd()], '');
    program.kill();
    await expect.poll(() => running(program.pid), { timeout: 5_000 }).toBe(false);
  });
});
