import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildEntry } from '../build-entry';

const run = promisify(execFile);
const SUITE = path.join(
  path.dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json')),
  'dist/index.js',
);
const onThisNode = ['--import', pathToFileURL(fileURLToPath(new URL('node-fs.mjs', import.meta.url))).href];

const suite = (...args: readonly string[]) =>
  run(process.execPath, [...onThisNode, SUITE, ...args], { maxBuffer: 16 * 1024 * 1024 }).then(
    ({ stdout, stderr }) => ({ code: 0, said: `${stdout}${stderr}` }),
    (error: { code?: number; stdout?: string; stderr?: string }) => ({
      code: error.code ?? 1,
      said: `${error.stdout ?? ''}${error.stderr ?? ''}`,
    }),
  );

/** Scenarios of an extension that the app does not support: instructions read from resources (SEP-2640). */
const extensions: readonly string[] = [
  'sep-2640-client-no-prefetch',
  'sep-2640-client-verify-digest',
  'sep-2640-client-verify-size',
  'sep-2640-client-verify-frontmatter',
];

/** All other client scenarios except OAuth, each with the protocol revisions that it covers. */
const scenarios: readonly (readonly [string, readonly string[]])[] = [
  ['initialize', ['2025-06-18', '2025-11-25']],
  ['tools_call', ['2025-06-18', '2025-11-25', '2026-07-28']],
  ['elicitation-sep1034-client-defaults', ['2025-11-25']],
  ['sse-retry', ['2025-11-25']],
  ['request-metadata', ['2026-07-28']],
  ['sep-2322-client-request-state', ['2026-07-28']],
  ['http-standard-headers', ['2026-07-28']],
  ['http-custom-headers', ['2026-07-28']],
  ['http-invalid-tool-headers', ['2026-07-28']],
  ['json-schema-ref-no-deref', ['2026-07-28']],
  ['json-schema-2020-12-preservation', ['2025-11-25', '2026-07-28']],
];

describe('[MCP-conformance] the protocol’s own suite, against the client as the app uses it', () => {
  let client: string;
  beforeAll(async () => {
    client = await buildEntry('testing/conformance/conformance-client.ts');
  }, 60_000);

  it('[MCP-conformance] the list below is the whole list', { timeout: 60_000 }, async () => {
    const { said } = await suite('list', '--client');
    const rows = [...said.matchAll(/^\s+- (.*)$/gm)].map(([, row]) => row);
    const listed = rows.map((row = '') => {
      const [, name, revisions] = /^(\S+) \[([^\]]+)\]$/.exec(row) ?? [];
      // Compare a row of another format as it is, so that none is skipped.
      return [name ?? row, revisions?.split(',') ?? []] as const;
    });
    const ours = listed.filter(([name]) => !name.startsWith('auth/'));
    const taking = ours.filter(([, revisions]) => !revisions.includes('extension'));
    expect(taking).toEqual(scenarios);
    expect(ours.filter((one) => !taking.includes(one)).map(([name]) => name)).toEqual(extensions);
  });

  const runs = scenarios.flatMap(([name, revisions]) => revisions.map((revision) => ({ name, revision })));
  it.each(runs)('[MCP-conformance] $name, $revision', { timeout: 60_000 }, async ({ name, revision }) => {
    const command = `"${process.execPath}" "${client}"`;
    const { code, said } = await suite(
      'client',
      '--command',
      command,
      '--scenario',
      name,
      '--spec-version',
      revision,
    );
    expect(said).toMatch(/Passed: (\d+)\/\1, 0 failed, 0 warnings/);
    expect({ code, said: code === 0 ? '' : said }).toEqual({ code: 0, said: '' });
  });
});
