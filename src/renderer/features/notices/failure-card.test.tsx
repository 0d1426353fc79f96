import { appError } from '#shared/app-error';
import { act, cleanup, screen } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { openTestWindow } from '../../../testing/test-window';

afterEach(cleanup);

it('[UI-failure-next] the card of a failed action says what to do next', async () => {
  const { app } = await openTestWindow({});
  const shown = async (...error: Parameters<typeof appError>) => {
    await act(async () => app.view.fail('The session was not renamed', appError(...error)));
    return screen.getByRole('alert').textContent;
  };
  expect(await shown('HOST', 'STATE', 'It is being repaired.')).toBe(
    'The session was not renamedIt is being repaired. Try again in a moment.HOST/STATE',
  );
  const hint = 'Stop it first.';
  expect(await shown('HOST', 'STATE', 'A reply is under way.', { hint })).toBe(
    'The session was not renamedA reply is under way. Stop it first.HOST/STATE',
  );
});
