import { render } from '@testing-library/react';
import type { ReactNode } from 'react';
import { expect, it } from 'vitest';
import { richText, text } from './text';

it('returns a message with its values filled in', () => {
  expect(text('find.next')).toBe('Next match');
  expect(text('find.place', { place: 3, count: 1234, more: 'yes' })).toBe('3 of 1,234+');
});

it('chooses the plural', () => {
  expect(text('shared.calls', { count: 1 })).toBe('1 call');
  expect(text('shared.calls', { count: 1200 })).toBe('1,200 calls');
});

it('inserts elements into a sentence, and treats values as text', () => {
  const code = (inner: ReactNode) => <code>{inner}</code>;
  const { container } = render(richText('elicitation.title', { server: '<b>{x}</b>', code }));
  expect(container.querySelector('code')?.textContent).toBe('<b>{x}</b>');
  expect(container.textContent).toBe('The server <b>{x}</b> asks you');
});
