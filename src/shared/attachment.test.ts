import { expect, it } from 'vitest';
import { attachmentsIn } from './attachment';

const artifact = `artifact://sha256/${'b'.repeat(64)}`;
const image = { type: 'image', mimeType: 'image/png', artifact, bytes: 120 };
const link = { type: 'link', uri: 'https://reports.example/q3', name: 'The report', mimeType: '' };

it('[ART-attached] content beside the text is described by handle or by address', () => {
  expect(attachmentsIn({ text: 'look', attachments: [image, link] })).toEqual([image, link]);
});

it('[ART-attached] content that could not be stored is still named', () => {
  const lost = { type: 'audio', mimeType: 'audio/wav', bytes: 9, lost: 'It could not be stored.' };
  expect(attachmentsIn({ attachments: [lost] })).toEqual([
    { type: 'audio', mimeType: 'audio/wav', bytes: 9 },
  ]);
});

it.each([
  ['a text', 'attachments'],
  ['nothing', null],
  ['another shape', { attachments: 'many' }],
  ['a handle that is a path', { attachments: [{ ...image, artifact: '../../etc/passwd' }] }],
  ['an unknown type', { attachments: [{ type: 'script', uri: 'x' }] }],
])('[ART-attached] %s has none', (_what, result) => {
  expect(attachmentsIn(result)).toEqual([]);
});

it('[ART-attached] very many attachments are limited', () => {
  expect(attachmentsIn({ attachments: Array.from({ length: 5_000 }, () => link) })).toHaveLength(50);
});
