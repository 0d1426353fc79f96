import { render, screen } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import type { Artifact } from '#shared/execution';
import { DrawnImages } from './drawn-images';

const image = (hex: string): Artifact => ({
  type: 'image/png;base64',
  handle: `artifact://sha256/${hex.repeat(64)}`,
  bytes: 10,
});

afterEach(() => void vi.restoreAllMocks());

it('draws an image once, however many calls returned it', () => {
  const complaints = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  render(<DrawnImages artifacts={[image('a'), image('b'), image('a')]} />);
  expect(screen.getAllByRole('listitem')).toHaveLength(2);
  expect(complaints).not.toHaveBeenCalled();
});
