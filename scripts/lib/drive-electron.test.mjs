import { expect, it, vi } from 'vitest';
import { askingAgain } from './drive-electron.mjs';

const lost = () =>
  Promise.reject(new Error('electronApplication.evaluate: Resulting promise was garbage collected.'));

/** @param {ReturnType<typeof vi.fn>} evaluate @returns {any} */
const driven = (evaluate) => askingAgain(/** @type {any} */ ({ evaluate }));

it('asks again when the answer was lost', async () => {
  const evaluate = vi.fn().mockImplementationOnce(lost).mockImplementationOnce(lost).mockResolvedValue(3);
  await expect(driven(evaluate).evaluate('page', 'argument')).resolves.toBe(3);
  expect(evaluate.mock.calls).toEqual(Array(3).fill(['page', 'argument']));
});

it('hides no other failure, and does not ask forever', async () => {
  const wrong = vi.fn().mockRejectedValue(new Error('x is not a function'));
  await expect(driven(wrong).evaluate()).rejects.toThrow('x is not a function');
  expect(wrong).toHaveBeenCalledOnce();
  await expect(driven(vi.fn().mockImplementation(lost)).evaluate()).rejects.toThrow('garbage collected');
});
