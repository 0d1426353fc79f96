import { expect, it } from 'vitest';
import { ok } from '#shared/result';
import type { McpResources } from '../ports/mcp-resources';
import { createResourcesSource } from './resources-source';

const serverWith = (uris: readonly string[]): McpResources => ({
  servers: () => [{ server: 'docs', state: 'ready', detail: '', tools: 0 }],
  resources: () =>
    Promise.resolve(ok(uris.map((uri) => ({ server: 'docs', uri, name: uri, description: '' })))),
  read: () => Promise.resolve(ok('')),
  onResourcesChanged: () => () => undefined,
});

it('[SRC-resources] say why a list is empty for each project on its own', async () => {
  const projects = new Map([
    ['/a', serverWith(['file:///1', 'file:///2'])],
    ['/b', serverWith([])],
  ]);
  const source = createResourcesSource({
    known: (project) => projects.get(project) ?? null,
    open: () => Promise.reject(new Error('Nobody opens the list here.')),
    onChange: () => () => undefined,
  });
  const signal = new AbortController().signal;
  const [a, b] = ['/a', '/b'].map((project) => ({ sessionId: null, project }));
  if (!a || !b) throw new Error('There are two projects.');
  await source.load(a, signal);
  await source.load(b, signal);
  expect(source.missing?.(a)).toBeUndefined();
  expect(source.missing?.(b)).toBe('docs: running, but without resources.');
  await source.load(a, signal);
  expect(source.missing?.(b)).toBe('docs: running, but without resources.');
});
