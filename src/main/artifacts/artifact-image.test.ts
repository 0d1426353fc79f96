import { expect, it } from 'vitest';
import { appError } from '#shared/app-error';
import { err, ok } from '#shared/result';
import { drawnPng } from '../../testing/drawn-png';
import { artifactImage, decoded } from './artifact-image';

const handle = `artifact://sha256/${'a'.repeat(64)}`;
const holding = (content: string) => ({ get: () => ok(content) });
const picture = drawnPng(60, 40);
const base64 = picture.toString('base64');

it('[ART-image] an image of a result is returned as data, with the size from its header', () => {
  const drawn = artifactImage(holding(base64), handle, 'image/png');
  expect(drawn).toEqual(ok({ dataUrl: `data:image/png;base64,${base64}`, width: 60, height: 40 }));
});

it('[ART-image] line breaks in the base64 do not matter', () => {
  const broken = base64.replaceAll(/(.{76})/g, '$1\r\n');
  expect(artifactImage(holding(broken), handle, 'image/PNG').ok).toBe(true);
});

const bomb = Buffer.from(picture);
bomb.writeUInt32BE(60_000, 16);
bomb.writeUInt32BE(60_000, 20);
const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><image href="http://127.0.0.1/x"/></svg>');

it.each([
  ['another type than it says', base64, 'image/jpeg'],
  ['more pixels than anyone should unpack', bomb.toString('base64'), 'image/png'],
  ['SVG, which can refer to other things', svg.toString('base64'), 'image/svg+xml'],
  ['text that is no base64', '<b>not base64</b>', 'image/png'],
  ['nothing', '', 'image/png'],
  ['a header cut short', picture.subarray(0, 12).toString('base64'), 'image/png'],
  ['a type that is a path', base64, 'image/../png'],
  ['more than can be drawn', 'A'.repeat(12_000_001), 'image/png'],
])('[ART-image] %s is not drawn', (_what, content, type) => {
  const drawn = artifactImage(holding(content), handle, type);
  expect(drawn).toMatchObject({ ok: false, error: { kind: 'HOST', code: 'INVALID_INPUT' } });
});

it('[ART-image] a missing artifact is reported', () => {
  const gone = err(appError('HOST', 'NOT_FOUND', 'There is no such artifact.'));
  expect(artifactImage({ get: () => gone }, handle, 'image/png')).toEqual(gone);
});

it('[ART-save-bytes] an artifact stored as base64 has the exact bytes of the file', () => {
  expect(Buffer.from(decoded(base64) ?? []).equals(picture)).toBe(true);
  expect(decoded('no base64!')).toBe(null);
});
