import { describe, expect, it } from 'vitest';
import { aMode } from '../../testing/seed-rows';
import { createModeCatalog } from './mode-catalog';
import { createSummary } from './mode-summary';

const general = aMode({
  id: '3F8E4F377F7A4C189C7F6A8B9F945C11',
  whenToUse: 'Use this mode for everyday Q&A, explanation, and lightweight assistance.',
  associatedToolIds: ['agent_list_modes', 'mcp://*'],
  exampleUtterances: ['What is this?'],
});
const ddr = aMode({
  id: 'A9E1F9C15A0C4F8D9AF51F3E8B2A6D22',
  key: 'ddr_authoring',
  displayName: 'DDR Authoring',
  description: 'Writing DDRs.',
  whenToUse: 'Use this mode for DDRs.',
  isDefault: false,
  humanRoleHints: ['Writing.'],
});
const catalog = createModeCatalog([general, ddr]);

const block = (current: string) => `Current Mode: ${current}

Available Modes:
- general: Use this mode for everyday Q&A, explanation, and lightweight assistance.
- ddr_authoring: Use this mode for DDRs.

Mode Switching:
- If the user\u2019s request clearly matches another mode\u2019s "when to use" description, you may recommend switching.
- If the user expresses interest in switching, follow the instructions in the agent_change_mode tool.
- If you need more detail about modes, call the agent_list_modes tool.`;

describe('a mode summary', () => {
  it('[AGN14-4-summary] copies the fields that AGN-014 §4 names and nothing else', () => {
    expect(createSummary(ddr)).toEqual({
      id: 'A9E1F9C15A0C4F8D9AF51F3E8B2A6D22',
      key: 'ddr_authoring',
      displayName: 'DDR Authoring',
      description: 'Writing DDRs.',
      systemPromptSummary: 'Use this mode for DDRs.',
      isDefault: false,
      humanRoleHints: ['Writing.'],
      exampleUtterances: [],
    });
  });

  it.each([undefined, null])('[AGN14-4-description] uses WhenToUse when the description is %s', (none) => {
    expect(createSummary({ ...ddr, description: none }).description).toBe('Use this mode for DDRs.');
  });
});

describe('the mode catalog', () => {
  it('[AGN14-5-get-all] [AGN14-4-create-summary] lists every mode as its summary, in catalog order', () => {
    expect(catalog.getAllModes()).toEqual([createSummary(general), createSummary(ddr)]);
    expect(catalog.getAllModes().map(({ key }) => key)).toEqual(['general', 'ddr_authoring']);
  });

  it('[AGN14-5-get-all] returns copies: changing a summary changes no catalog', () => {
    const [first] = catalog.getAllModes();
    first?.exampleUtterances.push('Ruin it');
    expect(catalog.getAllModes()[0]?.exampleUtterances).toEqual(['What is this?']);
  });

  it('[AGN14-6-2-bytes] [AGN14-6-1-content] writes the block byte for byte', () => {
    expect(catalog.buildSystemPrompt('ddr_authoring')).toBe(block('ddr_authoring'));
    expect(catalog.buildSystemPrompt('ddr_authoring')).not.toMatch(/\r|\n$/);
  });

  it.each([null, undefined, '', 'nonsense', 'General', ' general', ddr.id])(
    '[AGN14-5-prompt-default] [AGN14-6-3-fallback] [AGN14-6-3-key] uses the default mode for the key %j',
    (key) => expect(catalog.buildSystemPrompt(key)).toBe(block('general')),
  );

  it('[AGN14-5-get-mode] returns the whole mode of a key', () => {
    expect(catalog.getMode('ddr_authoring')).toEqual(ddr);
  });

  it.each(['nonsense', ddr.id, '', 'constructor'])(
    '[AGN14-5-get-mode-unknown] [AGN14-5-tools-unknown] throws for %j and names every valid key',
    (key) => {
      const says = `There is no mode "${key}". Valid modes: general, ddr_authoring.`;
      expect(() => catalog.getMode(key)).toThrow(new Error(says));
      expect(() => catalog.getToolsForMode(key)).toThrow(new Error(says));
      expect(catalog.unknownMode(key)).toBe(says);
    },
  );

  it("[AGN14-5-tools] [AGN14-5-tools-copy] returns a mode's tools as a copy", () => {
    const tools = catalog.getToolsForMode('general');
    expect(tools).toEqual(['agent_list_modes', 'mcp://*']);
    tools.push('rm_rf');
    expect(catalog.getToolsForMode('general')).toEqual(['agent_list_modes', 'mcp://*']);
  });

  it('[AGN14-3-immutable] is immutable, also through the objects it was built from', () => {
    const row = aMode({ associatedToolIds: ['one'] });
    const made = createModeCatalog([row]);
    row.associatedToolIds.push('two');
    row.key = 'other';
    expect(made.getMode('general').associatedToolIds).toEqual(['one']);
    expect(() => made.getMode('general').associatedToolIds.push('three')).toThrow(TypeError);
    expect(Object.isFrozen(made.getMode('general'))).toBe(true);
    expect(Object.isFrozen(made.modes)).toBe(true);
  });

  it('finds a mode by key or Id from outside input, and falls back to its default', () => {
    expect(catalog.find(ddr.id)?.key).toBe('ddr_authoring');
    expect(catalog.find('ddr_authoring')?.id).toBe(ddr.id);
    expect([catalog.find('x'), catalog.find(null), catalog.find('')]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(catalog.defaultMode.key).toBe('general');
  });
});
