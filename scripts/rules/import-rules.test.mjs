import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fromRoot } from '../lib/paths.mjs';

const CONFIG = fromRoot('.dependency-cruiser.cjs');
/** @type {{forbidden: {name: string}[]}} */
const { forbidden } = createRequire(import.meta.url)(CONFIG);

/**
 * The smallest project that breaks every rule once: rule -> [file, text].
 * @type {Record<string, [string, string]>}
 */
const BROKEN = {
  'shared-knows-zod-re2js-and-itself': ['src/shared/a.ts', "import 'node:fs';"],
  'shared-markdown-knows-marked-and-itself': ['src/shared/markdown/a.ts', "import 'node:fs';"],
  'core-imports-core-ports-shared-and-pure-packages': ['src/core/agent/a.ts', "import 'node:fs';"],
  'ports-import-ports-and-shared': ['src/core/ports/a.ts', "import '../agent/ok';"],
  'adapters-never-import-core': ['src/main/adapters/x/a.ts', "import '../../../core/agent/ok';"],
  'only-compose-builds-adapters': ['src/main/ipc/a.ts', "import '../adapters/x/ok';"],
  'renderer-meets-main-in-shared': ['src/renderer/a.ts', "import '../core/agent/ok';"],
  'preload-meets-main-in-shared': ['src/preload/a.ts', "import '../core/agent/ok';"],
  'worker-meets-main-in-shared': ['src/sandbox-worker/a.ts', "import '../core/agent/ok';"],
  'project-server-stands-alone': ['src/project-server/a.ts', "import '../core/agent/ok';"],
  'main-imports-no-other-process': ['src/main/ipc/b.ts', "import '../../renderer/ok';"],
  'window-has-no-node': ['src/renderer/b.ts', "import 'node:fs';"],
  'only-the-gate-names-the-tools-port': ['src/core/agent/b.ts', "import '../ports/tools';"],
  'features-never-import-each-other': ['src/renderer/features/one/a.ts', "import '../two/ok';"],
  'electron-at-the-rim': ['src/main/adapters/x/b.ts', "import 'electron';"],
  'mcp-client-in-one-folder': ['src/main/adapters/x/c.ts', "import '@modelcontextprotocol/client';"],
  'mcp-sdk-in-the-server': ['src/main/adapters/x/d.ts', "import '@modelcontextprotocol/sdk';"],
  'mcp-peers-in-tests': ['src/main/adapters/x/p.ts', "import '@modelcontextprotocol/server';"],
  'quickjs-in-the-worker': ['src/main/adapters/x/e.ts', "import 'quickjs-wasi';"],
  'openai-in-one-folder': ['src/main/adapters/x/f.ts', "import 'openai';"],
  'libsql-in-one-folder': ['src/main/adapters/x/g.ts', "import 'libsql';"],
  'nodemailer-in-one-folder': ['src/main/adapters/x/h.ts', "import 'nodemailer';"],
  'unpdf-in-one-folder': ['src/main/adapters/x/unpdf.ts', "import 'unpdf';"],
  'llama-in-one-folder': ['src/main/adapters/x/llama.ts', "import 'node-llama-cpp';"],
  'encoder-in-one-folder': ['src/main/adapters/x/encoder.ts', "import '@energetic-ai/core';"],
  'mermaid-in-its-page': ['src/renderer/m.ts', "import '@mermaid-js/tiny';"],
  'telemetry-in-one-folder': ['src/main/adapters/x/t.ts', "import '@opentelemetry/api';"],
  'core-ports-imports-lower-folders': ['src/core/ports/order.ts', "import '../sources/ok';"],
  'core-tools-imports-lower-folders': ['src/core/tools/order.ts', "import '../sources/ok';"],
  'core-mail-imports-lower-folders': ['src/core/mail/order.ts', "import '../sources/ok';"],
  'core-ddrs-imports-lower-folders': ['src/core/ddrs/order.ts', "import '../sources/ok';"],
  'core-modes-imports-lower-folders': ['src/core/modes/order.ts', "import '../sources/ok';"],
  'core-agent-imports-lower-folders': ['src/core/agent/order.ts', "import '../sources/ok';"],
  'core-session-imports-lower-folders': ['src/core/session/order.ts', "import '../sources/ok';"],
  'core-control-plane-imports-lower-folders': ['src/core/control-plane/order.ts', "import '../sources/ok';"],
  'core-workspace-imports-lower-folders': ['src/core/workspace/order.ts', "import '../sources/ok';"],
  'core-workflows-imports-lower-folders': ['src/core/workflows/order.ts', "import '../sources/ok';"],
  'core-sources-imports-lower-folders': ['src/core/sources/order.ts', "import '../workflows/ok';"],
  'message-format-in-one-folder': ['src/renderer/c.ts', "import 'intl-messageformat';"],
  'window-locales-imports-lower-folders': ['src/renderer/locales/order.ts', "import '../app/ok';"],
  'window-ui-imports-lower-folders': ['src/renderer/ui/order.ts', "import '../app/ok';"],
  'window-store-imports-lower-folders': ['src/renderer/store/order.ts', "import '../app/ok';"],
  'window-actions-imports-lower-folders': ['src/renderer/actions/order.ts', "import '../app/ok';"],
  'window-features-imports-lower-folders': ['src/renderer/features/one/order.ts', "import '../../app/ok';"],
  'no-cycles': ['src/core/agent/c.ts', "import './d';"],
  'no-orphans': ['src/core/agent/alone.ts', ''],
  'no-test-code-in-product-code': ['src/core/agent/e.ts', "import './ok.test';"],
  'no-unresolvable': ['src/core/agent/f.ts', "import './nowhere';"],
};

const OTHERS = {
  'src/core/agent/ok.ts': '',
  'src/core/agent/ok.test.ts': '',
  'src/core/agent/d.ts': "import './c';",
  'src/main/adapters/x/ok.ts': '',
  'src/core/ports/tools.ts': '',
  'src/core/sources/ok.ts': '',
  'src/core/workflows/ok.ts': '',
  'src/renderer/app/ok.ts': '',
  'src/renderer/ok.ts': '',
  'src/renderer/features/two/ok.ts': '',
  'tsconfig.json': '{}',
  'package.json': '{"type":"module","dependencies":{}}',
};

const PACKAGES = [
  'electron',
  '@modelcontextprotocol/client',
  '@modelcontextprotocol/sdk',
  'quickjs-wasi',
  'openai',
  'libsql',
  '@opentelemetry/api',
  'nodemailer',
  'unpdf',
  'node-llama-cpp',
  '@mermaid-js/tiny',
  'intl-messageformat',
];

/** @type {string} */
let folder;
/** @type {{from: string, rule: {name: string}}[]} */
let violations;

/** @param {string} name @param {string} text */
function write(name, text) {
  const file = path.join(folder, name);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, `${text}\nexport {};\n`.replace(/^\n/, ''));
}

beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'patina-imports-'));
  for (const [file, text] of Object.values(BROKEN)) write(file, text);
  for (const [file, text] of Object.entries(OTHERS)) write(file, text);
  for (const file of ['tsconfig.json', 'package.json'])
    fs.writeFileSync(path.join(folder, file), String(Object(OTHERS)[file]));
  for (const name of PACKAGES) {
    write(`node_modules/${name}/index.js`, '');
    fs.writeFileSync(path.join(folder, 'node_modules', name, 'package.json'), '{"main":"index.js"}');
  }
  const cli = fromRoot('node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
  const args = [cli, '--config', CONFIG, '--output-type', 'json', 'src'];
  const result = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8', maxBuffer: 1 << 26 });
  violations = JSON.parse(result.stdout).summary.violations;
}, 60_000);

afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

describe('[HOUSE-rules] each import rule reports its violation', () => {
  it.each(forbidden.map((rule) => rule.name))('%s', (name) => {
    const from = BROKEN[name]?.[0];
    expect(from, 'a rule with no example').toBeDefined();
    const fired = violations
      .filter((violation) => violation.rule.name === name)
      .map((violation) => violation.from);
    expect(fired).toContain(from);
  });

  it('and none reports a valid file', () => {
    expect(violations.filter((violation) => violation.from === 'src/main/adapters/x/ok.ts')).toEqual([]);
  });
});
