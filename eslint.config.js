import reactHooks from 'eslint-plugin-react-hooks';
import tseslint from 'typescript-eslint';
import { housePlugin } from './scripts/lint/house-rules.mjs';
import { CORE_SYNTAX, HOUSE_SYNTAX, RENDERER_SYNTAX, TEST_SYNTAX } from './scripts/lint/syntax.mjs';
import { CORE_FOLDERS, importWalls } from './scripts/lint/walls.mjs';

const CORE = CORE_FOLDERS.map((folder) => `src/core/${folder}/**/*.ts`);
/** Folders of the window whose texts are all in `locales/en.json`. */
const WITHOUT_TEXTS = [
  'actions',
  'app',
  'locales',
  'store',
  'ui',
  ...[
    'composer',
    'control-plane',
    'ddrs',
    'elicitation',
    'find',
    'header',
    'notices',
    'palette',
    'picker',
    'inspector',
    'message',
    'rail',
    'run',
    'run-parts',
    'settings',
    'start-refused',
    'welcome',
    'workflow-authoring',
    'workflows',
    'workspace',
  ].map((name) => `features/${name}`),
];
const TESTS = ['**/*.test.{ts,tsx,mjs}', 'e2e/**/*.ts'];

/** Limits on branching. Size follows from cohesion, so people judge it. @type {import('eslint').Linter.RulesRecord} */
const branching = { 'max-depth': ['error', 4], complexity: ['error', 12] };

/** The rules of TypeScript that need no types; .oxlintrc.json has the others. @type {import('eslint').Linter.RulesRecord} */
const typescript = {
  '@typescript-eslint/consistent-type-imports': ['error', { disallowTypeAnnotations: false }],
  '@typescript-eslint/no-explicit-any': 'error',
  '@typescript-eslint/no-non-null-assertion': 'error',
  '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
  '@typescript-eslint/ban-ts-comment': ['error', { minimumDescriptionLength: 1000, 'ts-expect-error': true }],
};

export default tseslint.config(
  {
    // A recipe's script is the body of a function; the tests of the seeds check it.
    ignores: [
      'node_modules/',
      'out/',
      'dist/',
      '.cache/',
      'demo-output/',
      'coverage/',
      '**/*.d.ts',
      'seeds/recipes/*.js',
    ],
  },
  { linterOptions: { noInlineConfig: true, reportUnusedDisableDirectives: 'error' } },
  ...tseslint.configs.recommended,
  {
    plugins: { house: housePlugin },
    rules: {
      ...branching,
      ...typescript,
      'house/kebab-file': 'error',
      'house/no-empty-words': 'error',
      // The linter of types would obey it.
      'no-warning-comments': ['error', { terms: ['oxlint-disable'], location: 'anywhere' }],
      eqeqeq: 'error',
      'no-eval': 'error',
      'no-restricted-syntax': ['error', ...HOUSE_SYNTAX],
    },
  },
  {
    files: CORE,
    rules: {
      'no-restricted-syntax': ['error', ...HOUSE_SYNTAX, ...CORE_SYNTAX],
      'no-restricted-globals': [
        'error',
        'process',
        'console',
        'performance',
        'crypto',
        'fetch',
        'setTimeout',
        'setInterval',
        'setImmediate',
        'Buffer',
        'window',
        'document',
      ],
      'no-restricted-properties': [
        'error',
        { object: 'Math', property: 'random' },
        { object: 'Date', property: 'now' },
      ],
    },
  },
  {
    files: ['src/renderer/**/*.{ts,tsx}'],
    plugins: { 'react-hooks': reactHooks },
    rules: {
      ...reactHooks.configs.recommended.rules,
      'no-restricted-syntax': ['error', ...HOUSE_SYNTAX, ...RENDERER_SYNTAX],
    },
  },
  {
    files: WITHOUT_TEXTS.map((folder) => `src/renderer/${folder}/**/*.tsx`),
    ignores: ['**/*.test.tsx'],
    rules: { 'house/no-literal-text': 'error' },
  },
  ...importWalls(),
  {
    files: TESTS,
    rules: {
      'no-restricted-globals': 'off',
      'no-restricted-properties': 'off',
      'no-restricted-syntax': ['error', ...HOUSE_SYNTAX, ...TEST_SYNTAX],
      '@typescript-eslint/no-non-null-assertion': 'off',
    },
  },
  {
    // Guest code runs as text, so a function there cannot share helpers, and each default value is a branch.
    files: ['src/sandbox-worker/guest/**/*.ts'],
    rules: { complexity: ['error', 20] },
  },
  {
    // The tools that read these files ask for a default export.
    files: ['*.config.{ts,js,mjs}', 'e2e/**/*.config.ts', 'scripts/lib/own-temp-folder.mjs'],
    rules: { 'no-restricted-syntax': 'off' },
  },
  { files: ['**/*.cjs'], rules: { '@typescript-eslint/no-require-imports': 'off' } },
);
