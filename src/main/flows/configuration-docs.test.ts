import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BudgetsFile } from '#shared/budgets';
import { Capabilities } from '#shared/capabilities';
import { parseRegistry, registryFields } from '../adapters/mcp/registry';

const guide = readFileSync(resolve('docs/configuration.md'), 'utf8');
const snippets = [...guide.matchAll(/^```json\n([\s\S]*?)^```/gm)].map(([, text = '']) => text);

describe('the documentation of the configuration', () => {
  it('[CFG-documented] has a snippet of each file, and each is accepted as it stands', () => {
    const [registry = '', capabilities = '', budgets = '', ...more] = snippets;
    const read = parseRegistry(registry, 'registry.json');
    expect(read.ok && [...read.value.keys()]).toEqual(['project', 'filesystem', 'tickets', 'search']);
    expect(Capabilities.parse(JSON.parse(capabilities)).deny).toEqual(['mcp://tickets.delete_ticket']);
    expect(BudgetsFile.parse(JSON.parse(budgets)).run?.nodes).toBe(32);
    expect(more).toEqual([]);
  });

  it('[CFG-documented] names every field and every variable', () => {
    const { node, run } = BudgetsFile.shape;
    const fields = [
      ...registryFields,
      ...Object.keys(Capabilities.shape),
      ...Object.keys(node.unwrap().shape),
      ...Object.keys(run.unwrap().shape),
    ];
    const paths = ['PATINA_HOME', 'MCP_REGISTRY', 'CAPABILITIES', 'BUDGETS', 'ARTIFACT_DIR', 'SANDBOX_PATH'];
    const missing = [...fields, ...paths, 'PATINA_AGENT_MODE'].filter(
      (name) => !guide.includes(`\`${name}\``),
    );
    expect(missing).toEqual([]);
    expect(readFileSync(resolve('README.md'), 'utf8')).toContain('(docs/configuration.md)');
  });
});
