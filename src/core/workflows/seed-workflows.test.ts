import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { AgentMode } from '#shared/mode';
import { WorkflowDefinition } from '#shared/workflow';
import { projectTools } from '../../project-server/create-project-server';
import { readDocument } from '../ddrs/document';
import { canonicalHash } from '../tools/canonical-hash';
import type { AuthoringFacts } from './authoring/authoring-facts';
import { checkDefinition } from './authoring/check-definition';
import { fieldsOf } from '../control-plane/check-texts';

const seeds = path.resolve(import.meta.dirname, '../../../seeds');
const names = readdirSync(path.join(seeds, 'workflows'));

const definitionOf = (name: string): WorkflowDefinition =>
  WorkflowDefinition.parse(JSON.parse(readFileSync(path.join(seeds, 'workflows', name), 'utf8')));

function ddrOf(id: string) {
  const file = `${id}.md`;
  const read = readDocument({
    file,
    origin: 'seed',
    text: readFileSync(path.join(seeds, 'ddrs', file), 'utf8'),
  });
  if (!read.ok) throw new Error(read.error.reason);
  return read.value.ddr;
}

const always = ['agent_change_mode', 'agent_list_modes', 'agent_workflow_registry', 'request_user_approval'];
const facts: AuthoringFacts = {
  modes: readdirSync(path.join(seeds, 'modes')).map((name) => {
    const mode = AgentMode.parse(JSON.parse(readFileSync(path.join(seeds, 'modes', name), 'utf8')));
    return { key: mode.key, tools: mode.associatedToolIds };
  }),
  tools: [
    ...[...always, 'agent_ddr_manager', 'agent_workflow_authoring'].map((name) => ({
      name,
      access: 'host' as const,
    })),
    ...projectTools.map(({ name, writes }) => ({
      name: `mcp://project.${name}`,
      access: writes ? ('write' as const) : ('read' as const),
    })),
    { name: 'mcp://filesystem.write_file', access: 'write' },
  ],
  serversUnknown: null,
  alwaysOffered: always,
  published: names.map(definitionOf),
  ddr: ddrOf,
};

describe('the bundled workflows', () => {
  it('are at least six; one is experimental, one hidden, one interruptible', () => {
    const definitions = names.map(definitionOf);
    expect(definitions.length).toBeGreaterThanOrEqual(6);
    const some = (test: (one: WorkflowDefinition) => boolean) =>
      expect(definitions.filter(test)).toHaveLength(1);
    some(({ Visibility }) => Visibility === 'experimental');
    some(({ Visibility }) => Visibility === 'hidden');
    some(({ AllowedTransitions }) => AllowedTransitions.workflows.length > 0);
  });

  it.each(names)(
    '[T6-8-2-seed-ddr] [T6-8-8-seed-hash] include %s with the hash that its approved design record names',
    (name) => {
      const definition = definitionOf(name);
      const ddr = ddrOf(definition.Ddr);
      expect(ddr).toMatchObject({ status: 'approved', goalStatus: 'approved' });
      expect(ddr.workflows).toEqual({ [definition.WorkflowId]: canonicalHash(definition) });
    },
  );

  it.each(names)('name only existing workflows in %s', (name) => {
    const { FollowUpOptions = [], AllowedTransitions } = definitionOf(name);
    const named = [...FollowUpOptions.map(({ workflowId }) => workflowId), ...AllowedTransitions.workflows];
    for (const id of named) if (id !== undefined) expect(names).toContain(`${id}.json`);
  });

  it.each(names)('[T6-10-2-validate] have no findings in %s', (name) => {
    expect(checkDefinition(fieldsOf(definitionOf(name)), facts).errors).toEqual([]);
  });
});
