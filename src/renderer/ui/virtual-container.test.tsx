import { render, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { VirtualContainer, VirtualItem } from './virtual-container';

it('passes no inherited style on to the rows, which would style each of their elements again', () => {
  render(
    <VirtualContainer style={{ height: 100, pointerEvents: 'none' }}>
      <VirtualItem style={{ top: 10, visibility: 'hidden' }} index={0}>
        a row of unknown height
      </VirtualItem>
      <VirtualItem style={{ top: 20 }} index={1}>
        a measured row
      </VirtualItem>
    </VirtualContainer>,
  );
  const hidden = screen.getByText('a row of unknown height');
  expect(hidden.style).toMatchObject({ top: '10px', opacity: '0', visibility: '' });
  expect(hidden.parentElement?.style).toMatchObject({ height: '100px', pointerEvents: '' });
  expect(screen.getByText('a measured row').style).toMatchObject({ top: '20px', opacity: '' });
});
