import type { ProviderModels } from '#shared/model';
import { act, cleanup, fireEvent, screen } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { openTestWindow } from '../../testing/test-window';

const provider: ProviderModels = {
  ...{ providerId: 'hub', name: 'Hub', source: 'configured', hasKey: true },
  models: [...Array.from({ length: 1_000 }, (_, at) => `lab/gpt-5-${at}`), 'gpt-5-mini', 'gpt-5'],
};
afterEach(cleanup);

it('[MDL-picker-rank] lists the exact name first among 1,000 models, and draws only some of them', async () => {
  const { app } = await openTestWindow({}, { models: [provider] });
  await act(async () => app.view.set({ modelPickerOpen: true }));
  const field = screen.getByPlaceholderText('Search models');
  await act(async () => void fireEvent.input(field, { target: { value: 'gpt-5' } }));
  const names = screen.getAllByRole('option').map((option) => option.textContent);
  expect(names.slice(0, 2)).toEqual(['gpt-5', 'gpt-5-mini']);
  expect(names.length).toBeLessThan(110);
});

it('[MDL-picker-rank] ranks the models of all providers together before it cuts the list', async () => {
  const near: ProviderModels = {
    ...provider,
    providerId: 'near',
    name: 'Near',
    models: ['gpt-5-mini', 'gpt-5'],
  };
  const far = { ...provider, models: provider.models.slice(0, 1_000) };
  const { app } = await openTestWindow({}, { models: [far, near] });
  await act(async () => app.view.set({ modelPickerOpen: true }));
  const field = screen.getByPlaceholderText('Search models');
  await act(async () => void fireEvent.input(field, { target: { value: 'gpt-5' } }));
  const names = screen.getAllByRole('option').map((option) => option.textContent);
  expect(names.slice(0, 3)).toEqual(['gpt-5', 'gpt-5-mini', 'lab/gpt-5-0']);
  expect(names.length).toBeLessThan(110);
});

it('[MDL-variable] says that PATINA_MODEL chose the model', async () => {
  const named: ProviderModels = { ...provider, source: 'environment', preferred: 'gpt-5' };
  const { app } = await openTestWindow(
    {},
    {
      models: [named],
      settings: { model: { providerId: 'hub', model: 'gpt-5' } },
    },
  );
  await act(async () => app.view.set({ modelPickerOpen: true }));
  expect(screen.getByText(/^Chosen by the variable PATINA_MODEL\./)).toBeDefined();
});
