import type { LocalModel, ModelOffer } from '#shared/local-model';
import type { ProviderModels } from '#shared/model';
import { appError } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';
import { act, cleanup, fireEvent, screen, within } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { openTestWindow } from '../../testing/test-window';

const offer: ModelOffer = {
  ...{ name: 'tiny', title: 'Tiny', licence: 'Apache-2.0', page: 'https://models.example/tiny' },
  ...{
    bytes: 400_000_000,
    from: 'models.example',
    freeDisk: 9e9,
    freeMemory: 4e9,
    received: 0,
    running: false,
  },
};
const offline: ProviderModels = {
  ...{ providerId: 'offline', name: 'Offline', source: 'offline', hasKey: false, models: ['offline'] },
};
const found: ProviderModels = {
  ...offline,
  providerId: 'ollama',
  name: 'Ollama',
  source: 'discovered',
  models: ['q'],
};
const open = (
  models: readonly ProviderModels[],
  download: () => Result<LocalModel> = () => ok({ name: 'tiny', bytes: 1, contextTokens: 1 }),
) =>
  openTestWindow(
    {},
    {
      models,
      handlers: {
        'local-models': () => ok({ models: [], offer }),
        'local-model-download': download,
      },
    },
  );
afterEach(cleanup);

it('[LOCAL-offer] the first run shows the card of the model; its click alone starts the download', async () => {
  const { main } = await open([offline]);
  const card = within(await screen.findByRole('group', { name: 'Tiny' }));
  expect(card.getByText(/Apache-2\.0 · from models\.example/)).toBeDefined();
  expect(card.getByText(/needs about .* of memory/)).toBeDefined();
  const downloads = () => main.calls.filter(({ name }) => name === 'local-model-download');
  expect(downloads()).toEqual([]);
  await act(async () => void fireEvent.click(card.getByRole('button', { name: 'Download Tiny' })));
  expect(downloads()).toHaveLength(1);
});

it('[LOCAL-offer] the first run offers no download where a server runs on this computer', async () => {
  await open([found, offline]);
  expect(await screen.findByText('Ollama is running on this computer')).toBeDefined();
  expect(screen.queryByRole('group', { name: 'Tiny' })).toBeNull();
});

it('[LOCAL-offer] a download that is refused before it begins says why, until the next click', async () => {
  const answers = [
    err(appError('LLM', 'UNAVAILABLE', 'The model needs more memory.', { hint: 'Choose a smaller model.' })),
    ok({ name: 'tiny', bytes: 1, contextTokens: 1 }),
  ];
  await open([offline], () => answers.shift() as Result<LocalModel>);
  const card = within(await screen.findByRole('group', { name: 'Tiny' }));
  const click = () =>
    act(async () => void fireEvent.click(card.getByRole('button', { name: 'Download Tiny' })));
  await click();
  const why = 'The model needs more memory. Choose a smaller model.';
  expect(card.getByRole('status').textContent).toBe(why);
  await click();
  expect(card.queryByText(why)).toBeNull();
});
