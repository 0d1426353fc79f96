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

/** Scenarios of extensions to the sign-in: machines that sign in without a person, and bound tokens. */
const signInExtensions: readonly string[] = [
  'auth/client-credentials-jwt',
  'auth/client-credentials-basic',
  'auth/enterprise-managed-authorization',
  'auth/dpop',
  'auth/dpop-nonce',
  'auth/wif-jwt-bearer',
];

const both = ['2025-11-25', '2026-07-28'];
const newest = ['2026-07-28'];
const all = ['2025-06-18', ...both];

/** The scenarios of the sign-in, each with the protocol revisions that it covers. */
const signIns: readonly (readonly [string, readonly string[]])[] = [
  ['auth/metadata-default', both],
  ['auth/metadata-var1', both],
  ['auth/metadata-var2', both],
  ['auth/metadata-var3', both],
  ['auth/basic-cimd', both],
  ['auth/scope-from-www-authenticate', both],
  ['auth/scope-from-scopes-supported', both],
  ['auth/scope-omitted-when-undefined', both],
  ['auth/scope-step-up', both],
  ['auth/scope-retry-limit', both],
  ['auth/token-endpoint-auth-basic', all],
  ['auth/token-endpoint-auth-post', all],
  ['auth/token-endpoint-auth-none', all],
  ['auth/pre-registration', both],
  // A revision without metadata of resources; no required set names them.
  ['auth/2025-03-26-oauth-metadata-backcompat', ['2025-03-26']],
  ['auth/2025-03-26-oauth-endpoint-fallback', ['2025-03-26']],
  ['auth/resource-mismatch', newest],
  ['auth/offline-access-scope', newest],
  ['auth/offline-access-not-supported', newest],
  ['auth/authorization-server-migration', newest],
  ['auth/iss-supported', newest],
  ['auth/iss-not-advertised', newest],
  ['auth/iss-supported-missing', newest],
  ['auth/iss-wrong-issuer', newest],
  ['auth/iss-unexpected', newest],
  ['auth/iss-normalized', newest],
  ['auth/metadata-issuer-mismatch', newest],
];

/** All other client scenarios, each with the protocol revisions that it covers. */
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

  it('[MCP-conformance] covers exactly the list below', { timeout: 60_000 }, async () => {
    const { said } = await suite('list', '--client');
    const rows = [...said.matchAll(/^\s+- (.*)$/gm)].map(([, row]) => row);
    const listed = rows.map((row = '') => {
      const [, name, revisions] = /^(\S+) \[([^\]]+)\]$/.exec(row) ?? [];
      // Compare a row of another format as it is, so that none is skipped.
      return [name ?? row, revisions?.split(',') ?? []] as const;
    });
    const auth = listed.filter(([name]) => name.startsWith('auth/'));
    const required = auth.filter(([, revisions]) => !revisions.includes('extension'));
    expect(required).toEqual(signIns);
    expect(auth.filter((one) => !required.includes(one)).map(([name]) => name)).toEqual(signInExtensions);
    const ours = listed.filter(([name]) => !name.startsWith('auth/'));
    const taking = ours.filter(([, revisions]) => !revisions.includes('extension'));
    expect(taking).toEqual(scenarios);
    expect(ours.filter((one) => !taking.includes(one)).map(([name]) => name)).toEqual(extensions);
  });

  const runs = [...scenarios, ...signIns].flatMap(([name, revisions]) =>
    revisions.filter((revision) => revision !== '2025-03-26').map((revision) => ({ name, revision })),
  );
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
