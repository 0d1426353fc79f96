/** Folders of src/core, which decide and return values: no Node, no DOM, no I/O. */
export const CORE_FOLDERS = [
  'agent',
  'session',
  'tools',
  'control-plane',
  'modes',
  'workflows',
  'workspace',
  'ddrs',
  'mail',
  'sources',
  'ports',
];

/** Packages that the core may import: they only compute. */
export const PURE_PACKAGES = [
  'zod',
  'acorn',
  'semver',
  'gpt-tokenizer',
  '@noble/hashes',
  'yaml',
  'diff',
  '@lezer/common',
  '@lezer/javascript',
  '@lezer/python',
];

/** Packages restricted to certain folders: package (or prefix) -> the only paths that may import it. */
const HOMES = [
  {
    pattern: '^electron($|/)',
    homes: ['src/main/adapters/electron/**', 'src/main/index.ts', 'src/preload/**'],
  },
  {
    pattern: '^@modelcontextprotocol/client($|/)',
    homes: ['src/main/adapters/mcp/**', 'src/main/adapters/oauth/**'],
  },
  { pattern: '^@modelcontextprotocol/sdk($|/)', homes: ['src/project-server/**', 'src/testing/**'] },
  { pattern: '^quickjs-', homes: ['src/sandbox-worker/**'] },
  { pattern: '^openai($|/)', homes: ['src/main/adapters/llm/**'] },
  { pattern: '^libsql($|/)', homes: ['src/main/adapters/storage/**'] },
  { pattern: '^unpdf($|/)', homes: ['src/main/adapters/pdf/**'] },
  { pattern: '^node-llama-cpp($|/)', homes: ['src/main/adapters/local-model/**'] },
  { pattern: '^@mermaid-js/', homes: ['src/renderer/diagram.ts'] },
  { pattern: '^nodemailer($|/)', homes: ['src/main/adapters/outbox/**'] },
];

/**
 * The second import check (the first is dependency-cruiser): flat-config blocks of import restrictions; the
 * last match wins.
 */
export function importWalls() {
  const core = CORE_FOLDERS.map((folder) => `src/core/${folder}/**/*.ts`);
  return [
    block(
      ['src/**/*.{ts,tsx}'],
      homePatterns(() => true),
    ),
    ...HOMES.map((home) =>
      block(
        home.homes.map(asFiles),
        homePatterns((other) => !sharesHome(other, home)),
      ),
    ),
    block(['src/shared/**/*.ts'], [onlyPackages(['zod', 're2js'], 'shared knows zod, re2js and itself')]),
    block(['src/shared/markdown/**/*.ts'], [onlyPackages(['marked'], 'its grammar knows marked and itself')]),
    block(core, [onlyPackages(PURE_PACKAGES, 'the core imports core, ports, shared and pure packages')]),
    block(['src/**/*.test.{ts,tsx}'], []),
  ];
}

/** @param {string} home */
const asFiles = (home) => (home.endsWith('/**') ? `${home}/*.{ts,tsx}` : home);

/** @typedef {(typeof HOMES)[number]} Home */
/** @param {Home} a @param {Home} b */
const sharesHome = (a, b) => a.homes.some((home) => b.homes.includes(home));

/** @param {(home: Home) => boolean} kept */
function homePatterns(kept) {
  return HOMES.filter(kept).map(({ pattern, homes }) => ({
    regex: pattern,
    message: `Only ${homes.join(', ')} may import this.`,
  }));
}

/** @param {string[]} packages @param {string} why */
function onlyPackages(packages, why) {
  const names = packages.map((name) => `${name}($|/)`).join('|');
  return { regex: `^(?!\\.|#shared/|${names})`, message: `Not from here: ${why}.` };
}

/**
 * @param {string[]} files
 * @param {{regex: string, message: string}[]} patterns
 * @returns {import('eslint').Linter.Config}
 */
function block(files, patterns) {
  return {
    files,
    rules: { 'no-restricted-imports': patterns.length === 0 ? 'off' : ['error', { patterns }] },
  };
}
