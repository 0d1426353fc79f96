import { act, render, screen } from '@testing-library/react';
import { useState, type ReactElement } from 'react';
import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';
import { expect, it } from 'vitest';
import { lazyPart, preloadLazyParts } from './lazy-part';

it('a part that was preloaded is shown as soon as it is requested', async () => {
  const Part = lazyPart(() => Promise.resolve(() => <p>the part</p>));
  await preloadLazyParts();
  const place = document.createElement('div');
  const root = createRoot(place);
  flushSync(() => root.render(<Part />));
  expect(place.textContent).toBe('the part');
  root.unmount();
});

it('a part whose file arrives while it is shown is not mounted again', async () => {
  let mounts = 0;
  function Counted({ text }: { readonly text: string }): ReactElement {
    useState(() => (mounts += 1));
    return <p>{text}</p>;
  }
  const Part = lazyPart(() => Promise.resolve(Counted));
  const { rerender } = render(<Part text="one" />);
  await screen.findByText('one');
  const before = mounts;
  await act(() => preloadLazyParts());
  rerender(<Part text="two" />);
  expect(screen.getByText('two')).not.toBeNull();
  expect(mounts).toBe(before);
});
