import { expect, it } from 'vitest';
import { text } from './text';

it('gives a message, with its values filled in', () => {
  expect(text('find.next')).toBe('Next match');
  expect(text('find.place', { place: 3, count: 1234, more: 'yes' })).toBe('3 of 1,234+');
});
