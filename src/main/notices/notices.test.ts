import type { Notice } from '#shared/notice';
import { expect, it, vi } from 'vitest';
import { createNotices } from './notices';

const notice = (id: string, title = id): Notice => ({ id, level: 'warning', title, detail: '' });

it('keeps notices until they are dismissed; the same id replaces the text', () => {
  const notices = createNotices([notice('a')]);
  const heard = vi.fn();
  const deafen = notices.subscribe(heard);
  notices.raise(notice('b'));
  notices.raise(notice('a', 'again'));
  expect(notices.all().map(({ title }) => title)).toEqual(['b', 'again']);
  expect(heard).toHaveBeenCalledTimes(2);
  notices.dismiss('b');
  notices.dismiss('none');
  expect(notices.all().map(({ id }) => id)).toEqual(['a']);
  deafen();
  notices.raise(notice('c'));
  expect(heard).toHaveBeenCalledTimes(2);
});
