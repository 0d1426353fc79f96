'use strict';

// The import rules of ARCHITECTURE.md, one rule each. eslint.config.js is the second wall.
const CORE = '^src/core/(?!ports/)';
const TEST = '[.]test[.](ts|tsx)$';
const PURE = '^(zod|acorn|semver|gpt-tokenizer|@noble/hashes|yaml|diff|@lezer/[a-z]+)(/|$)';
const PURE_FILES = 'node_modules/(zod|acorn|semver|gpt-tokenizer|@noble/hashes|yaml|diff|@lezer/[a-z]+)/';

/** One home for a package: nothing else may import it. */
const onlyIn = (name, packagePath, homes, comment) => ({
  name,
  comment,
  severity: 'error',
  from: { path: '^src/', pathNot: [...homes, TEST] },
  to: { path: packagePath },
});

const never = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });

const WINDOW_ORDER = {
  locales: [],
  ui: ['locales'],
  store: ['ui', 'locales'],
  actions: ['store', 'ui', 'locales'],
  features: ['actions', 'store', 'ui', 'locales'],
};
const inOrder = (layer, root, order) =>
  Object.entries(order).map(([folder, lower]) =>
    never(
      `${layer}-${folder}-imports-lower-folders`,
      `${root}/${folder} may import ${lower.join(', ') || 'no other folder'} of ${root}.`,
      { path: `^${root}/${folder}/`, pathNot: TEST },
      { path: `^${root}/`, pathNot: `^${root}/(${[folder, ...lower].join('|')})/` },
    ),
  );
const ORDER_RULES = [
  ...inOrder('core', 'src/core', require('./scripts/lib/core-order.json')),
  ...inOrder('window', 'src/renderer', WINDOW_ORDER),
];

module.exports = {
  forbidden: [
    never(
      'shared-knows-zod-re2js-and-itself',
      'Shared is the language all processes speak.',
      { path: '^src/shared/(?!markdown/)', pathNot: TEST },
      { pathNot: ['^src/shared/', 'node_modules/(zod|re2js)/', '^(zod|re2js)'] },
    ),
    never(
      'shared-markdown-knows-marked-and-itself',
      'One grammar reads markdown for the window and for exported files.',
      { path: '^src/shared/markdown/', pathNot: TEST },
      { pathNot: ['^src/shared/markdown/', 'node_modules/marked/', '^marked'] },
    ),
    never(
      'core-imports-core-ports-shared-and-pure-packages',
      'The core decides; it touches no world.',
      { path: CORE, pathNot: TEST },
      { pathNot: [CORE, '^src/core/ports/', '^src/shared/', PURE, PURE_FILES] },
    ),
    never(
      'ports-import-ports-and-shared',
      'A port is an interface.',
      { path: '^src/core/ports/', pathNot: TEST },
      { pathNot: ['^src/core/ports/', '^src/shared/', PURE, PURE_FILES] },
    ),
    never(
      'adapters-never-import-core',
      'The rim does not know what it serves.',
      { path: '^src/main/adapters/', pathNot: TEST },
      { path: CORE },
    ),
    never(
      'only-compose-builds-adapters',
      'One composition root.',
      {
        path: '^src/main/',
        pathNot: ['^src/main/adapters/', '^src/main/compose/', '^src/main/(index|cli)[.]ts$', TEST],
      },
      { path: '^src/main/adapters/', dependencyTypesNot: ['type-only'] },
    ),
    never(
      'renderer-meets-main-in-shared',
      'Processes meet only in shared.',
      { path: '^src/renderer/' },
      { path: '^src/', pathNot: ['^src/renderer/', '^src/shared/', '^src/testing/'] },
    ),
    never(
      'preload-meets-main-in-shared',
      'Processes meet only in shared.',
      { path: '^src/preload/' },
      { path: '^src/', pathNot: ['^src/preload/', '^src/shared/'] },
    ),
    never(
      'worker-meets-main-in-shared',
      'Processes meet only in shared.',
      { path: '^src/sandbox-worker/', pathNot: TEST },
      { path: '^src/', pathNot: ['^src/sandbox-worker/', '^src/shared/'] },
    ),
    never(
      'project-server-stands-alone',
      'Processes meet only in shared.',
      { path: '^src/project-server/', pathNot: TEST },
      { path: '^src/', pathNot: ['^src/project-server/', '^src/shared/'] },
    ),
    never(
      'main-imports-no-other-process',
      'Processes meet only in shared.',
      { path: '^src/(main|core)/', pathNot: TEST },
      { path: '^src/(renderer|preload|sandbox-worker|project-server)/' },
    ),
    never(
      'window-has-no-node',
      'The window and its bridge have no Node.',
      { path: '^src/(renderer|preload)/', pathNot: TEST },
      { dependencyTypes: ['core'] },
    ),
    never(
      'only-the-gate-names-the-tools-port',
      'Nothing reaches a tool but through tools/call.',
      {
        path: '^src/(main|core)/',
        pathNot: [
          '^src/core/tools/',
          '^src/main/adapters/(mcp|electron)/',
          '^src/main/compose/',
          '^src/core/ports/',
          TEST,
        ],
      },
      { path: '^src/core/ports/tools[.]ts$' },
    ),
    never(
      'features-never-import-each-other',
      'A feature can be deleted alone.',
      { path: '^src/renderer/features/([^/]+)/' },
      { path: '^src/renderer/features/([^/]+)/', pathNot: '^src/renderer/features/($1|run-parts)/' },
    ),
    onlyIn(
      'electron-at-the-rim',
      '^(node_modules/)?electron(/|$)',
      [
        '^src/main/adapters/electron/',
        '^src/main/index[.]ts$',
        '^src/preload/',
        // To close it, and to prove it closed.
        '^src/sandbox-worker/(lockdown|routes)[.]ts$',
      ],
      'The same core runs without Electron.',
    ),
    onlyIn(
      'message-format-in-one-folder',
      '^(node_modules/)?intl-messageformat(/|$)',
      ['^src/renderer/locales/'],
      'One file reads the texts of the window.',
    ),
    onlyIn(
      'telemetry-in-one-folder',
      '^(node_modules/)?@opentelemetry/',
      ['^src/main/adapters/telemetry/'],
      'One folder speaks OpenTelemetry.',
    ),
    onlyIn(
      'mcp-client-in-one-folder',
      '^(node_modules/)?@modelcontextprotocol/client(/|$)',
      ['^src/main/adapters/(mcp|oauth)/'],
      'One folder speaks MCP; the other signs in to its servers.',
    ),
    onlyIn(
      'mcp-sdk-in-the-server',
      '^(node_modules/)?@modelcontextprotocol/sdk(/|$)',
      ['^src/project-server/', '^src/testing/'],
      'Our server is built with the SDK; nothing else is.',
    ),
    onlyIn(
      'mcp-peers-in-tests',
      '^(node_modules/)?@modelcontextprotocol/(server|node|server-everything|conformance)(/|$)',
      ['^src/testing/'],
      'The other side of the wire is for tests.',
    ),
    onlyIn(
      'quickjs-in-the-worker',
      '^(node_modules/)?quickjs-',
      ['^src/sandbox-worker/'],
      'The engine lives in its own process.',
    ),
    onlyIn(
      'openai-in-one-folder',
      '^(node_modules/)?openai(/|$)',
      ['^src/main/adapters/llm/'],
      'One folder speaks to models.',
    ),
    onlyIn(
      'libsql-in-one-folder',
      '^(node_modules/)?libsql(/|$)',
      ['^src/main/adapters/storage/'],
      'One folder knows the database.',
    ),
    onlyIn(
      'nodemailer-in-one-folder',
      '^(node_modules/)?nodemailer(/|$)',
      ['^src/main/adapters/outbox/'],
      'One folder writes mail.',
    ),
    onlyIn(
      'unpdf-in-one-folder',
      '^(node_modules/)?unpdf(/|$)',
      ['^src/main/adapters/pdf/'],
      'PDFs are read in a process of their own.',
    ),
    onlyIn(
      'llama-in-one-folder',
      '^(node_modules/)?node-llama-cpp(/|$)',
      ['^src/main/adapters/local-model/'],
      'A local model runs in a process of its own.',
    ),
    onlyIn(
      'encoder-in-one-folder',
      '^(node_modules/)?@energetic-ai/',
      ['^src/main/adapters/sentence-encoder/'],
      'Sentences are encoded in a process of its own.',
    ),
    onlyIn(
      'mermaid-in-its-page',
      '^(node_modules/)?@mermaid-js/',
      ['^src/renderer/diagram[.]ts$'],
      'Diagrams are drawn in a window of their own.',
    ),
    ...ORDER_RULES,
    never('no-cycles', 'A cycle is one room pretending to be two.', { path: '^src/' }, { circular: true }),
    never(
      'no-orphans',
      'A file that nothing needs is deleted.',
      {
        orphan: true,
        path: '^src/',
        pathNot: [
          TEST,
          '[.]d[.]ts$',
          '^src/(main/(index|cli)|preload/index|sandbox-worker/index|project-server/index)[.]ts$',
          '^src/main/adapters/electron/bundled-server-host[.]ts$',
          '^src/renderer/(main|index|diagram)[.]tsx?$',
          '^src/testing/',
        ],
      },
      {},
    ),
    never(
      'no-test-code-in-product-code',
      'Tests and doubles stay out of the app.',
      { path: '^src/', pathNot: [TEST, '^src/testing/'] },
      { path: [TEST, '^src/testing/', '^(e2e|bench)/', 'node_modules/(vitest|@playwright|fast-check)/'] },
    ),
    never(
      'no-unresolvable',
      'Every import leads somewhere.',
      { path: '^src/' },
      { couldNotResolve: true, pathNot: '[?](url|raw|inline|prepared)' },
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      conditionNames: ['types', 'import', 'node', 'default'],
      exportsFields: ['exports'],
      extensions: ['.ts', '.tsx', '.d.ts', '.js', '.mjs', '.cjs', '.json'],
      mainFields: ['types', 'module', 'main'],
    },
  },
};
