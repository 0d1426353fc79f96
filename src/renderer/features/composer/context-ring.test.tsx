import { cleanup, render, screen } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import { ContextRing } from './context-ring';

const nameOf = (tokens: number, fits: number): string | null => {
  render(<ContextRing share={tokens / fits} about={`about ${tokens} tokens`} fits={fits} />);
  return screen.getByRole('img').getAttribute('aria-label');
};

describe("[WIN-context-ring] the model's context", () => {
  afterEach(cleanup);

  it.each([
    [100, 128_000, '< 1 %', '128,000'],
    [1_000, 8_000, '13 %', '8,000'],
    [9_000, 8_000, '113 %', '8,000'],
  ])('of %i of %i tokens is also described in text', (tokens, fits, percent, whole) => {
    expect(nameOf(tokens, fits)).toBe(
      `Context ${percent}: about ${tokens} tokens of the ${whole} that fit into this model’s context`,
    );
  });

  it('that is full is marked by more than a colour', () => {
    nameOf(8_000, 8_000);
    expect(document.querySelector('svg.lucide-triangle-alert')).not.toBeNull();
    expect(document.querySelector('circle')).toBeNull();
  });
});
