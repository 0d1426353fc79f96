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

const frameMs = 16;
const wait = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));

it('of the rows that appear together one per frame is completed', async () => {
  render(
    <>
      <Row />
      <Row />
      <Row />
    </>,
  );
  for (let complete = 0; complete <= 3; complete += 1) {
    expect(screen.queryAllByText('all of it')).toHaveLength(complete);
    await act(() => vi.advanceTimersToNextFrame());
  }
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
  await wait(frameMs);
  expect(screen.getAllByText('all of it')).toHaveLength(2);
});
