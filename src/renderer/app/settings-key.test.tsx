import type { ProviderModels } from '#shared/model';
import { act, cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import { openTestWindow } from '../../testing/test-window';

const provider: ProviderModels = {
  providerId: 'desk',
  name: 'Desk server',
  baseUrl: 'https://desk.example/v1',
  source: 'configured',
  hasKey: true,
  models: ['m1'],
};

async function openKeyForm() {
  const { app, main } = await openTestWindow({}, { models: [provider] });
  await act(async () => app.view.set({ dialog: { kind: 'settings', section: 'models' } }));
  await act(
    async () => void fireEvent.click(screen.getByRole('button', { name: 'Change the key of Desk server' })),
  );
  const press = (name: string) => act(async () => void fireEvent.click(screen.getByRole('button', { name })));
  const saves = () => main.calls.filter(({ name }) => name === 'provider-save').map(({ input }) => input);
  return { press, saves };
}

const stays = { id: 'desk', name: 'Desk server', baseUrl: 'https://desk.example/v1' };

afterEach(cleanup);

describe('the key of a provider', () => {
  it('[SET-key-in-place] is changed in the provider’s row', async () => {
    const { press, saves } = await openKeyForm();
    fireEvent.input(screen.getByLabelText('API key'), { target: { value: ' sk-new ' } });
    await press('Save');
    expect(saves()).toEqual([{ provider: stays, key: 'sk-new' }]);
    expect(screen.queryByLabelText('API key')).toBeNull();
  });

  it('[SET-key-in-place] is removed with an empty one', async () => {
    const { press, saves } = await openKeyForm();
    await press('Remove the key');
    expect(saves()).toEqual([{ provider: stays, key: '' }]);
  });
});

it.each([
  ['Change the key of Desk server', 'models'],
  ['Add a provider', 'models'],
  ['Add a server', 'servers'],
] as const)(
  '[SET-focus-back] “%s” has the focus again when its form is cancelled',
  async (opener, section) => {
    const { app } = await openTestWindow({}, { models: [provider] });
    await act(async () => app.view.set({ dialog: { kind: 'settings', section } }));
    const press = async (name: string) => {
      const button = await screen.findByRole('button', { name });
      await act(async () => button.focus());
      await act(async () => void fireEvent.click(button));
    };
    await press(opener);
    await press('Cancel');
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('button', { name: opener })));
  },
);

it('[SET-about] the settings say which version runs, and that Patina looks for no other', async () => {
  const { app } = await openTestWindow({});
  await act(async () => app.view.set({ dialog: { kind: 'settings', section: 'about' } }));
  const panel = screen.getByRole('tabpanel', { name: 'About' }).textContent ?? '';
  expect(panel).toMatch(/Patina 0\.0\.0 · .*never looks for a new version.*MIT License/s);
});
