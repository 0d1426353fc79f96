import { appError } from '#shared/app-error';
import type { ContextItem } from '#shared/context-item';
import type { IpcHandlers } from '#shared/ipc';
import { err, ok } from '#shared/result';
import type { SessionFact } from '#shared/session-event';
import { act, cleanup, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTestWindow, pretendLayout } from '../../testing/test-window';

const session: readonly SessionFact[] = [{ type: 'session-created', title: '', project: '/work' }];
const itemOf = (ref: string): ContextItem => ({
  kind: 'file',
  ref,
  hash: 'a'.repeat(64),
  bytes: 5,
  tokens: 2,
});
const attached = (ref: string) => ok({ type: 'attached' as const, item: itemOf(ref) });

const open = (attach: IpcHandlers['item-attach'], handlers: Partial<IpcHandlers> = {}) =>
  openTestWindow(
    { s1: session, s2: session },
    { settings: { project: '/work' }, handlers: { 'item-attach': attach, ...handlers } },
  );
const chips = () =>
  within(screen.getByRole('list', { name: 'Attached to your message' }))
    .getAllByRole('listitem')
    .map((chip) => chip.title);

beforeEach(pretendLayout);
afterEach(() => {
  cleanup();
  window.localStorage.clear();
});

describe('[ITEM-window] chosen files', () => {
  const named = ({ source }: Parameters<IpcHandlers['item-attach']>[0]) => {
    const name = source.type === 'content' ? source.name : '';
    const refused = (why: string) => err(appError('HOST', 'INVALID_INPUT', `${name} ${why}.`));
    return name.endsWith('.txt') ? attached(name) : refused('is no text');
  };
  const files = (...names: readonly string[]) => names.map((name) => new File(['text'], name));

  it('are refused together: the card names each of them', async () => {
    const { app } = await open(named);
    await act(() => app.commands.attachFiles(files('a.bin', 'b.bin', 'c.txt')));
    expect(app.view.store.getState().failure?.error.message).toBe('a.bin is no text. b.bin is no text.');
    expect(chips()).toEqual(['c.txt']);
  });

  it('are announced by a name that shows characters that would change its order', async () => {
    const { app } = await open(named);
    await act(() => app.commands.attachFiles(files('\u202etxe.txt')));
    expect(app.view.store.getState().announcement.text).toBe('\\u202etxe.txt is attached.');
  });

  it('are attached once, and a removed one leaves the focus to the composer', async () => {
    const { app, field } = await open(named);
    await act(() => app.commands.attachFiles(files('a.txt', 'b.txt', 'a.txt')));
    await act(() => app.commands.attachFiles(files('b.txt')));
    expect(chips()).toEqual(['a.txt', 'b.txt']);
    const remove = screen.getByRole('button', { name: 'Remove a.txt' });
    remove.focus();
    await act(async () => remove.click());
    expect(chips()).toEqual(['b.txt']);
    await waitFor(() => expect(document.activeElement).toBe(field));
  });
});

describe('[ITEM-restart] items attached to unsent lines', () => {
  it('return with their draft after a restart, and unfinished ones are read again', async () => {
    let finish = (): void => undefined;
    const slow = new Promise<ReturnType<typeof attached>>((resolve) => {
      finish = () => resolve(attached('slow.txt'));
    });
    const first = await open(({ source }) => {
      const path = source.type === 'path' ? source.path : '';
      return path === 'slow.txt' ? slow : attached(path);
    });
    first.type('Compare them.');
    await act(async () => {
      await first.app.commands.attach({ type: 'path', path: 'a.txt' }, 'a.txt');
      await first.app.commands.attach({ type: 'path', path: 'b.txt' }, 'b.txt');
      void first.app.commands.attach({ type: 'path', path: 'slow.txt' }, 'slow.txt');
      await first.app.commands.attachTo('s2', { type: 'path', path: 'other.txt' }, 'other.txt');
    });
    cleanup();
    const asked: unknown[] = [];
    const second = await open(({ sessionId, source }) => {
      asked.push([sessionId, source]);
      return attached('slow.txt');
    });
    await waitFor(() => expect(chips()).toEqual(['a.txt', 'b.txt', 'slow.txt']));
    expect(second.field.value).toBe('Compare them.');
    expect(asked).toEqual([['s1', { type: 'path', path: 'slow.txt' }]]);
    await act(async () => void (await second.app.commands.openSession('s2')));
    expect(chips()).toEqual(['other.txt']);
    finish();
  });

  it('return with their line when the window ends before main has it, and are gone once main has it', async () => {
    let confirm = (): void => undefined;
    const answer = ok({ turn: 0 });
    const confirmed = new Promise<typeof answer>((resolve) => {
      confirm = () => resolve(answer);
    });
    const first = await open(() => attached('a.txt'), { 'message-send': () => confirmed });
    await act(() => first.app.commands.attach({ type: 'path', path: 'a.txt' }, 'a.txt'));
    first.type('Read it.');
    await first.press('Enter');
    await waitFor(() => expect(first.lines()).toEqual(['Read it.']));
    expect(screen.queryByRole('list', { name: 'Attached to your message' })).toBeNull();
    cleanup();
    const second = await open(() => attached('a.txt'));
    expect(second.field.value).toBe('Read it.');
    expect(chips()).toEqual(['a.txt']);
    cleanup();
    window.localStorage.clear();
    const third = await open(() => attached('a.txt'), { 'message-send': () => confirmed });
    await act(() => third.app.commands.attach({ type: 'path', path: 'a.txt' }, 'a.txt'));
    third.type('Read it.');
    await third.press('Enter');
    expect(window.localStorage.getItem('patina.draft-items.s1')).toContain('a.txt');
    await act(async () => confirm());
    await waitFor(() => expect(window.localStorage.getItem('patina.draft-items.s1')).toBeNull());
  });

  it('[WIN-own] stay as another window left them, when this window changes its own', async () => {
    const app = await open(({ source }) => attached(source.type === 'path' ? source.path : ''));
    await act(() => app.app.commands.attachTo('s2', { type: 'path', path: 'b.txt' }, 'b.txt'));
    const theirs = JSON.stringify({ items: [itemOf('theirs.txt')], paths: [] });
    window.localStorage.setItem('patina.draft-items.s2', theirs);
    await act(() => app.app.commands.attach({ type: 'path', path: 'a.txt' }, 'a.txt'));
    expect(window.localStorage.getItem('patina.draft-items.s1')).toContain('a.txt');
    expect(window.localStorage.getItem('patina.draft-items.s2')).toBe(theirs);
  });

  it('are empty after they were sent or removed, and damage loses only the items', async () => {
    const first = await open(() => attached('a.txt'));
    await act(() => first.app.commands.attach({ type: 'path', path: 'a.txt' }, 'a.txt'));
    first.type('Read it.');
    await first.press('Enter');
    await waitFor(() => expect(first.lines()).toEqual(['Read it.']));
    cleanup();
    await open(() => attached('a.txt'));
    expect(screen.queryByRole('list', { name: 'Attached to your message' })).toBeNull();
    cleanup();
    window.localStorage.setItem('patina.draft-items.s1', '{"items":[{"kind":"x"}],"paths":[]}');
    const damaged = await open(() => attached('a.txt'));
    expect(screen.queryByRole('list', { name: 'Attached to your message' })).toBeNull();
    expect(damaged.field).toBeDefined();
  });
});
