import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createChildLinePort } from './child-line-port';
import { createLineTransport } from './line-transport';
import { unsafeForCmdExe, type ChildLaunch } from './start-command';
import { startProblem } from './child-line-port';

const folder = mkdtempSync(join(tmpdir(), 'patina-argv-'));
const launch = (args: readonly string[], more: Partial<ChildLaunch> = {}): ChildLaunch => ({
  command: process.execPath,
  args,
  env: { HOME: folder, PATH: '/usr/bin:/bin' },
  cwd: folder,
  ...more,
});

/** A program that prints, as one line of hex, the bytes of each argument and of its own variable. */
const echo = join(folder, 'echo argv; (of $HOME).mjs');
writeFileSync(
  echo,
  `const hex = (text) => Buffer.from(text, 'utf8').toString('hex');
console.log(JSON.stringify([process.argv.slice(2).map(hex), hex(process.env.OWN ?? '')]));\n`,
);
const hex = (text: string): string => Buffer.from(text, 'utf8').toString('hex');

const hostile = [
  ...['', ' ', 'two words', '  spaces  ', '\t', 'line\nbreak', 'return\r\n', '-e', '--', '--eval=1'],
  ...[
    '; touch pwned',
    '$(touch pwned)',
    '`touch pwned`',
    '${HOME}',
    '$HOME',
    '~',
    '*',
    '?',
    '[a-z]',
    '{a,b}',
  ],
  ...[
    '&& touch pwned',
    '|| x',
    '| x',
    '& x',
    '> pwned',
    '< x',
    '2>&1',
    '!!',
    '!x',
    '#',
    '\\',
    '\\\\"',
    'a\\',
  ],
  ...["'", '"', '""', `'"'"'`, '"; touch pwned; "', '%PATH%', '%', '^', '^&', '(x)', '" & touch pwned & "'],
  ...['{"json": "of \\"words\\""}', 'ä ö 漢 🪙', '\u202e', '\u0007', 'x'.repeat(60_000)],
] as const;

/** The arguments that the child reports. */
const given = (wanted: ChildLaunch) =>
  new Promise<unknown>((resolve, reject) => {
    const port = createChildLinePort(wanted);
    port.onLine((line) => resolve(JSON.parse(line)));
    port.onExit(({ detail }) => reject(new Error(`${detail}: ${port.stderrTail()}`)));
  });

describe('[MCP-argv] the command of a registry row is passed to the child as separate arguments', () => {
  it('byte for byte, all at once', async () => {
    expect(await given(launch([echo, ...hostile], { env: { OWN: '$(x); "%PATH%"\n' } }))).toEqual([
      hostile.map(hex),
      hex('$(x); "%PATH%"\n'),
    ]);
  });

  it('for a program on the given PATH, and for a script with a shebang line', async () => {
    const script = join(folder, 'my-server');
    writeFileSync(script, `#!${process.execPath}\nawait import(${JSON.stringify(echo)});\n`, { mode: 0o755 });
    const words = ['; x', '$(x)', '"'];
    expect(await given(launch(words, { command: 'my-server', env: { PATH: folder } }))).toEqual([
      words.map(hex),
      '',
    ]);
  });

  it('and no argument can become another command', async () => {
    const failed = given(launch([], { command: `${process.execPath}; true` }));
    await expect(failed).rejects.toThrow('could not be started: there is no program');
  });
});

describe('[MCP-start-explained] a command that cannot be started', () => {
  const ended = (wanted: ChildLaunch) =>
    new Promise<string>((resolve) => createChildLinePort(wanted).onExit(({ detail }) => resolve(detail)));

  it('exits with the reason, and throws no error', async () => {
    expect(await ended(launch(['x'.repeat(5_000_000)]))).toContain('too long for this system');
    expect(await ended(launch(['a\0b']))).toContain('a NUL character, which no program accepts');
    expect(await ended(launch([], { command: 'a\0b' }))).toContain(
      'a NUL character, which no program accepts',
    );
    const port = createChildLinePort(launch(['a\0b']));
    port.send('{}');
    await port.kill();
  });

  it('fails its first request at once', async () => {
    const transport = createLineTransport(createChildLinePort(launch(['a\0b'])), () => undefined);
    await transport.start();
    await expect(transport.send({ jsonrpc: '2.0', id: 1, method: 'initialize' })).rejects.toThrow(
      'has ended',
    );
  });
});

describe('[MCP-argv] a batch file on Windows', () => {
  it.each(['"', '%PATH%', 'a\nb', 'a\r', '" & calc & "'])('is not started with %j', (word) => {
    expect(unsafeForCmdExe(['-y', word])).toBe(true);
  });

  it.each(['', 'two words', '; x', '$(x)', '& x', '^', 'C:\\a b\\', "'", '(x)', '> y'])(
    'is started with %j',
    (word) => {
      expect(unsafeForCmdExe(['-y', word])).toBe(false);
    },
  );

  it('that was perhaps meant is mentioned with what to do instead', () => {
    const error = Object.assign(new Error('spawn npx ENOENT'), { code: 'ENOENT' });
    const npx = launch(['-y', 'server', '{"a":1}'], { command: 'npx' });
    expect(startProblem(error, npx, false)).toContain('pass the value in "env"');
    expect(startProblem(error, { ...npx, args: ['-y', 'server'] }, false)).toContain(
      'there is no program "npx"',
    );
    expect(startProblem(error, npx, true)).toContain('there is no program "npx"');
  });
});
