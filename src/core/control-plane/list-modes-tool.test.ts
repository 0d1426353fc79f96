import { expect, it } from 'vitest';
import { must } from '../../testing/stored-session';
import { aMode } from '../../testing/seed-rows';
import { createModeCatalog, modeItems } from '../modes/mode-catalog';
import type { BuiltInToolContext } from '../ports/built-in-tool';
import { createListModesTool } from './list-modes-tool';

const modes = createModeCatalog([
  aMode(),
  aMode({
    id: 'A'.repeat(32),
    key: 'other',
    displayName: 'Other',
    isDefault: false,
    strongSignals: ['write a spec'],
    weakSignals: ['chapter'],
  }),
]);

interface Listed {
  readonly current: string;
  readonly modes: readonly { readonly key: string; readonly strongSignals: readonly string[] }[];
}

async function listed(): Promise<Listed> {
  const tool = createListModesTool({ modes, state: () => null, modeOf: () => modes.defaultMode });
  return JSON.parse(must(await tool.execute('{}', { sessionId: null } as BuiltInToolContext))) as Listed;
}

it('[AGN14-9-signals-told] the model gets the signals of each mode, as advice', async () => {
  expect((await listed()).modes).toMatchObject([
    { key: 'general' },
    { key: 'other', strongSignals: ['write a spec'], weakSignals: ['chapter'] },
  ]);
});

it('[AGN14-10-one-source] the tool, the prompt, the picker and the summaries name the same modes in the same order', async () => {
  const keys = modes.getAllModes().map(({ key }) => key);
  expect((await listed()).modes.map(({ key }) => key)).toEqual(keys);
  expect(modeItems(modes.modes, new Set(keys)).map(({ header }) => header.id)).toEqual(keys);
  expect([...modes.buildSystemPrompt('other').matchAll(/^- (\w+):/gm)].map(([, key]) => key)).toEqual(keys);
});
