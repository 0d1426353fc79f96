import type { InstructionFilesView } from '#shared/instruction-files';
import type { Notice } from '#shared/notice';
import { expect, it } from 'vitest';
import { createManualClock } from '../../testing/manual-clock';
import { createInstructionSuggestions } from './suggest-instructions';

const none: InstructionFilesView = {
  project: '/code',
  found: null,
  adopted: null,
  dropped: false,
  files: [],
  problems: [],
  changes: [],
};
const fileOf = (status: 'new' | 'adopted' | 'changed'): InstructionFilesView => ({
  ...none,
  found: 'a'.repeat(64),
  adopted: status === 'new' ? null : 'b'.repeat(64),
  files: [{ path: 'docs/AGENTS.md', bytes: 1, tokens: 1, status }],
  changes:
    status === 'adopted'
      ? []
      : [{ path: 'docs/AGENTS.md', change: status === 'new' ? 'added' : 'changed', hunks: [] }],
});

function start(first: InstructionFilesView) {
  let view = first;
  let shown: Notice | null = null;
  let watched: readonly string[] = [];
  let changed = (): void => undefined;
  const { clock, advance } = createManualClock();
  const read = () => Promise.resolve(view);
  const suggestions = createInstructionSuggestions({
    files: { find: read, check: read },
    projectOf: (sessionId) => (sessionId === 'none' ? null : '/code'),
    watch: (folders, listener) => {
      watched = folders;
      changed = listener;
      return () => (watched = []);
    },
    clock,
    raise: (notice) => void (shown = notice),
    withdraw: () => void (shown = null),
  });
  return {
    suggestions,
    advance,
    title: () => shown?.title ?? null,
    watched: () => watched,
    become(next: InstructionFilesView) {
      view = next;
      changed();
    },
  };
}

it('[CTX-adopt-change] says once that files can be adopted, later that they changed, and nothing else', async () => {
  const { suggestions, advance, title, watched, become } = start(fileOf('new'));
  suggestions.follow(null);
  await Promise.resolve();
  await Promise.resolve();
  expect(title()).toBe('This project brings instructions for models along');
  expect(watched()).toEqual(['/code', '/code/.github', '/code/.cursor/rules', '/code/docs']);
  become(fileOf('adopted'));
  advance(1_000);
  await Promise.resolve();
  await Promise.resolve();
  expect(title()).toBeNull();
  become(fileOf('changed'));
  advance(1_000);
  await Promise.resolve();
  await Promise.resolve();
  expect(title()).toBe("The project's instructions changed");
  become({ ...fileOf('new'), dropped: true });
  advance(1_000);
  await Promise.resolve();
  await Promise.resolve();
  expect(title()).toBeNull();
  suggestions.follow('none');
  expect(watched()).toEqual([]);
});
