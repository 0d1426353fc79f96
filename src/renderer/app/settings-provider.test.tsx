import type { ProviderModels } from '#shared/model';
import type { EditableProvider, ProviderOffer } from '#shared/provider-row';
import { act, cleanup, fireEvent, screen } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { openTestWindow } from '../../testing/test-window';

const listed: ProviderModels = {
  ...{ providerId: 'lab', name: 'Lab', baseUrl: 'https://lab.example/v1', source: 'configured' },
  ...{ hasKey: true, models: ['m1'] },
};
const editable: EditableProvider = {
  id: 'lab',
  hasKey: true,
  keyPlace: 'keychain',
  edit: {
    ...{ name: 'Lab', baseUrl: 'https://lab.example/v1', wire: null, organization: null },
    ...{ models: ['m1'], headers: { 'X-Api-Key': null, 'X-Team': 'blue' }, timeouts: { idle: 9 } },
    proxy: null,
    keyVariable: null,
  },
};
const offer = (fields: Partial<ProviderOffer>): ProviderOffer => ({
  ...{ id: 'groq', name: 'Groq', baseUrl: 'https://api.groq.com/openai/v1', wire: 'chat' },
  ...{ models: 'listed', foundKeys: ['GROQ_API_KEY'], inUse: false },
  ...fields,
});

async function openModels(offers: readonly ProviderOffer[] = [], row: EditableProvider = editable) {
  const { app, main } = await openTestWindow({}, { models: [listed], offers, editable: [row] });
  await act(async () => app.view.set({ dialog: { kind: 'settings', section: 'models' } }));
  const press = (name: string) =>
    act(async () => void fireEvent.click(await screen.findByRole('button', { name })));
  const type = (label: string, value: string) =>
    fireEvent.input(screen.getByRole('textbox', { name: label }), { target: { value } });
  const edits = () => main.calls.filter(({ name }) => name === 'provider-edit').map(({ input }) => input);
  return { press, type, edits };
}
afterEach(cleanup);

it('[MDL-provider-edit] edits every field in the provider’s row', async () => {
  const { press, type, edits } = await openModels();
  await press('Edit Lab');
  type('Name', 'Lab 2');
  type('Base URL', 'https://lab.example/v2');
  type('Models', 'm1\nm2');
  type('Headers', 'X-Api-Key: ••••••\nX-Team: red');
  type('Organization', 'org');
  type('Seconds until a reply starts', '30');
  type('Proxy', 'http://proxy.example:3128');
  fireEvent.change(screen.getByLabelText('Protocol'), { target: { value: 'anthropic' } });
  await press('Save');
  expect(edits()).toEqual([
    {
      id: 'lab',
      edit: {
        ...{ name: 'Lab 2', baseUrl: 'https://lab.example/v2', wire: 'anthropic', organization: 'org' },
        ...{ models: ['m1', 'm2'], headers: { 'X-Api-Key': null, 'X-Team': 'red' } },
        ...{ timeouts: { first: 30, idle: 9 }, proxy: 'http://proxy.example:3128', keyVariable: null },
      },
    },
  ]);
});

it('[MDL-key-variables] offers a key found in the environment by the name of its variable', async () => {
  const { press, edits } = await openModels([offer({}), offer({ id: 'xai', name: 'xAI', foundKeys: [] })]);
  await press('Use Groq');
  expect(screen.queryByRole('button', { name: 'Use xAI' })).toBeNull();
  expect(edits()).toMatchObject([{ id: 'groq', edit: { keyVariable: 'GROQ_API_KEY', name: 'Groq' } }]);
});

it('[MDL-key-variables] asks for the missing fields of a known provider', async () => {
  const azure = { baseUrl: 'https://YOUR-RESOURCE.example/v1', placeholder: 'YOUR-RESOURCE' };
  const { press, edits } = await openModels([
    offer({ ...azure, id: 'azure', name: 'Azure', models: 'typed', foundKeys: ['AZURE_OPENAI_API_KEY'] }),
  ]);
  await press('Use Azure');
  expect(screen.getByText('Replace YOUR-RESOURCE with the name of yours.')).toBeTruthy();
  expect(screen.getByText('AZURE_OPENAI_API_KEY')).toBeTruthy();
  expect(edits()).toEqual([]);
});

it('[MDL-provider-edit] warns before a key is sent unencrypted to another computer, and only then', async () => {
  const { press, type } = await openModels();
  await press('Edit Lab');
  const warning = () => screen.queryByText(/travel unencrypted to/)?.textContent ?? null;
  for (const address of [
    'http://127.0.0.1:1234/v1',
    'http://localhost/v1',
    'https://box.example/v1',
    'http:',
  ]) {
    type('Base URL', address);
    expect(warning()).toBeNull();
  }
  type('Base URL', 'http://box.example:8080/v1');
  expect(warning()).toContain('unencrypted to box.example:8080');
});

it.each([
  ['keychain', 'key saved, encrypted by the system keychain'],
  ['file', 'key saved unprotected in a file'],
  ['memory', 'key kept until Patina closes'],
  ['variable', 'key from an environment variable'],
] as const)('[SET-key-place] the row says how a key is kept: %s', async (keyPlace, words) => {
  await openModels([], { ...editable, keyPlace });
  expect(await screen.findByText(new RegExp(words))).toBeTruthy();
});

it('[MDL-provider-problem] a bad value is marked at its field, which gets the focus, also in a closed part', async () => {
  const { press, type, edits } = await openModels();
  await press('Edit Lab');
  type('Headers', 'nonsense');
  await press('Save');
  const headers = screen.getByRole('textbox', { name: 'Headers' });
  expect(document.activeElement).toBe(headers);
  expect(headers.closest('details')?.open).toBe(true);
  const problem = document.getElementById(headers.getAttribute('aria-describedby')?.split(' ').at(-1) ?? '');
  expect(problem?.textContent).toContain('Write each header as “Name: value”');
  type('Headers', 'X-Team: red');
  expect(headers.getAttribute('aria-invalid')).toBeNull();
  type('Base URL', 'nowhere');
  await press('Test');
  expect(document.activeElement).toBe(screen.getByRole('textbox', { name: 'Base URL' }));
  expect(edits()).toEqual([]);
});
