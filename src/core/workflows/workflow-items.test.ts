import { describe, expect, it } from 'vitest';
import { emptySession } from '#shared/session-state';
import type { WorkflowDefinition, WorkflowRow } from '#shared/workflow';
import { approvingDdr, sampleWorkflow } from '../../testing/sample-workflows';
import { canonicalHash } from '../tools/canonical-hash';
import { approvalStatusOf } from './governance';
import { createRegistryView } from './registry-view';
import { workflowItems } from './workflow-items';

const create = sampleWorkflow();
const later = sampleWorkflow({ Version: '2.0.0' });
const viewOf = (definitions: readonly WorkflowDefinition[], layer: WorkflowRow['layer']) => {
  const record = approvingDdr(definitions.filter(({ WorkflowId }) => WorkflowId !== 'drifted_one'));
  return createRegistryView(
    definitions.map((definition) => {
      const row = { definition, layer, hash: canonicalHash(definition) };
      return { ...row, approval: approvalStatusOf(row, record) };
    }),
  );
};
const { signal } = new AbortController();
const pinned = { ...emptySession('s'), workflowPin: { create_ddr: canonicalHash(later) } };

async function loaded(definition: WorkflowDefinition, layer: WorkflowRow['layer'] = { kind: 'home' }) {
  const items = workflowItems({
    view: () => viewOf([definition], layer),
    onItemsChange: () => () => undefined,
  });
  const result = await items.load({ state: null } as Parameters<typeof items.load>[0], signal);
  if (!result.ok) throw new Error(result.error.message);
  return result.value[0];
}

describe('a workflow in the list of what the user can start', () => {
  it('[T6-3-3-explicit] is found by its title and by its id as people say it', async () => {
    expect(await loaded(create)).toEqual({
      header: { id: 'create_ddr', displayName: 'Create a new DDR' },
      description: 'Writes a design record with the user, chapter by chapter.',
      aliases: ['create ddr', 'create-ddr'],
      keywords: ['1.0.0'],
      userTitled: true,
    });
    expect(await loaded(sampleWorkflow({ WorkflowId: 'release' }))).toMatchObject({ aliases: ['release'] });
    expect(await loaded(create, { kind: 'seed' })).toMatchObject({ userTitled: false });
  });

  it.each<readonly [fields: Partial<WorkflowDefinition>, note: string, unlisted: boolean]>([
    [{ Visibility: 'hidden' }, '', true],
    [{ Status: 'disabled' }, ' Workflow ‘create_ddr’ is disabled.', true],
    [{ Ddr: 'WFL-001', WorkflowId: 'drifted_one' }, ' Workflow requires approval before use.', true],
    [
      { Status: 'deprecated', Visibility: 'experimental' },
      ' Workflow ‘create_ddr’ is deprecated. Workflow ‘create_ddr’ is experimental: the user confirms its start.',
      false,
    ],
  ])('[T6-7-8-hidden] says why it cannot start or what to expect: %j', async (fields, note, unlisted) => {
    const item = await loaded(sampleWorkflow(fields));
    expect(item?.description).toBe(`Writes a design record with the user, chapter by chapter.${note}`);
    expect(item?.unlisted ?? false).toBe(unlisted);
  });

  it('[T6-9-5-no-live-update] is of the version that the session started with', async () => {
    const listeners: unknown[] = [];
    const items = workflowItems({
      view: (pin) => viewOf([pin === null ? create : later], { kind: 'home' }),
      onItemsChange: (listener) => {
        listeners.push(listener);
        return () => undefined;
      },
    });
    type Input = Parameters<typeof items.load>[0];
    const of = (state: Input['state']): Input => ({ state }) as Input;
    expect(await items.load(of(pinned), signal)).toMatchObject({ value: [{ keywords: ['2.0.0'] }] });
    expect(await items.load(of(emptySession('s')), signal)).toMatchObject({
      value: [{ keywords: ['1.0.0'] }],
    });
    const keys = [of(pinned), of(emptySession('s')), of(null)].map((input) => items.scopeKey(input));
    expect(keys[0]).not.toBe(keys[1]);
    expect(keys[1]).toBe(keys[2]);
    const listener = (): void => undefined;
    items.onChange?.(listener);
    expect(listeners).toEqual([listener]);
  });
});
