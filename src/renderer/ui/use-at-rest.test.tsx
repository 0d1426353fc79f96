import { act, cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { useAtRest, watchMoves } from './use-at-rest';

function Row() {
  return <p>{useAtRest() ? 'all of it' : 'its text'}</p>;
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

const wait = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));

it('a row is drawn completely while nothing moves', () => {
  render(<Row />);
  expect(screen.getByText('all of it')).toBeTruthy();
});

it('a row that comes into view by the wheel has only its text until the wheel rests', async () => {
  const list = document.createElement('div');
  const stop = watchMoves(list);
  fireEvent.wheel(list);
  render(<Row />);
  await wait(100);
  fireEvent.wheel(list);
  await wait(100);
  expect(screen.getByText('its text')).toBeTruthy();
  await wait(300);
  expect(screen.getByText('all of it')).toBeTruthy();
  fireEvent.wheel(list);
  expect(screen.getByText('all of it')).toBeTruthy();
  await wait(300);
  stop();
  fireEvent.wheel(list);
  render(<Row />);
  expect(screen.getAllByText('all of it')).toHaveLength(2);
});
