import type { createLowlight } from 'lowlight';

type Lowlight = ReturnType<typeof createLowlight>;
export type Highlighted = ReturnType<Lowlight['highlight']>['children'];

/** Highlights code of one language; returns undefined if the code is too long or the grammar fails on it. */
export type Highlight = (code: string) => Highlighted | undefined;

const maxLength = 6_000;
const maxLineLength = 1_500;

const aliases: Readonly<Record<string, string>> = {
  tsx: 'typescript',
  jsx: 'javascript',
  mjs: 'javascript',
  cjs: 'javascript',
  mts: 'typescript',
  cts: 'typescript',
  jsonc: 'json',
  json5: 'json',
  console: 'shell',
  terminal: 'shell',
  dockerfile: 'dockerfile',
  docker: 'dockerfile',
  vue: 'xml',
  svelte: 'xml',
  astro: 'xml',
  'c++': 'cpp',
  'objective-c': 'objectivec',
  viml: 'vim',
};

const plainNames = new Set(['', 'text', 'txt', 'plain', 'plaintext', 'none', 'output', 'log']);

let common: Promise<Lowlight> | undefined;
let all: Promise<Lowlight> | undefined;

/** The common languages are one small bundle chunk, the other 150 another; both load on first use. */
function loadCommon(): Promise<Lowlight> {
  common ??= import('lowlight').then(({ common: grammars, createLowlight }) => createLowlight(grammars));
  return common;
}
function loadAll(): Promise<Lowlight> {
  all ??= import('./code-grammars').then(({ createAllGrammars }) => createAllGrammars());
  return all;
}

function isReasonable(code: string): boolean {
  return code.length <= maxLength && code.split('\n').every((line) => line.length <= maxLineLength);
}

function highlighter(lowlight: Lowlight, language: string): Highlight {
  return (code) => {
    if (!isReasonable(code)) return undefined;
    try {
      return lowlight.highlight(language, code).children;
    } catch {
      return undefined;
    }
  };
}

const ready = new Map<string, Highlight | null>();

async function load(language: string): Promise<Highlight | null> {
  const usual = await loadCommon();
  if (usual.registered(language)) return highlighter(usual, language);
  const every = await loadAll();
  return every.registered(language) ? highlighter(every, language) : null;
}

/** The grammar name from a fence's info string: its first word, in lower case, without attributes. */
export function languageOf(fence: string): string {
  const word = /^[\w+#.-]{0,40}/.exec(fence.trim().replace(/^\{\.?/, ''))?.[0].toLowerCase() ?? '';
  return Object.hasOwn(aliases, word) ? (aliases[word] ?? word) : word;
}

/** The highlighter of a language; null if it has none, undefined until it is loaded. */
export function loadedHighlight(language: string): Highlight | null | undefined {
  return plainNames.has(language) ? null : ready.get(language);
}

/** Loads the highlighter of a language; null if no grammar knows it. */
export async function loadHighlight(language: string): Promise<Highlight | null> {
  const known = loadedHighlight(language);
  if (known !== undefined) return known;
  const loaded = await load(language);
  ready.set(language, loaded);
  return loaded;
}
