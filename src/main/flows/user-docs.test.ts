import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { errorCodes } from '#shared/app-error';
import { BudgetsFile } from '#shared/budgets';
import { Capabilities } from '#shared/capabilities';
import { CommandDefinition, ToolboxDefinition } from '#shared/command';
import { ExecutionUnit } from '#shared/execution';
import { KnownPrices } from '#shared/known-prices';
import { OfferedModel } from '#shared/local-model';
import { Plan, PlanNode } from '#shared/plan';
import { Recipe } from '#shared/recipe';
import { CatalogFile } from '#shared/resolver';
import {
  CompletionCheck,
  InputType,
  InputValidation,
  WorkflowDefinition,
  WorkflowPrecondition,
} from '#shared/workflow';
import { wordClasses } from '../../core/control-plane/word-classes';
import {
  MessageParts,
  PromptPackFile,
  ToolCatalogFile,
  ToolDescriptor,
  WorkspaceIndex,
} from '../../core/workspace/workspace-schemas';
import { parseRegistry, registryFields } from '../adapters/mcp/registry';
import { PackFile } from '../adapters/seeds/read-packs';

const folder = resolve('docs/user');
const pages = readdirSync(folder).filter((name) => name.endsWith('.md'));
const textOf = (page: string): string => readFileSync(join(folder, page), 'utf8');

const parseWith = (schema: z.ZodType) => (text: string) => void schema.parse(JSON.parse(text));
const kinds: Readonly<Record<string, (text: string) => void>> = {
  registry: (text) => expect(parseRegistry(text, 'registry.json')).toMatchObject({ ok: true }),
  capabilities: parseWith(Capabilities),
  budgets: parseWith(BudgetsFile),
  workflow: parseWith(WorkflowDefinition),
  recipe: parseWith(Recipe),
  plan: parseWith(Plan),
  prices: parseWith(KnownPrices),
  model: parseWith(OfferedModel),
  unit: parseWith(ExecutionUnit),
  pack: parseWith(PackFile),
  catalog: parseWith(CatalogFile),
  command: parseWith(CommandDefinition),
  toolbox: parseWith(ToolboxDefinition),
  index: parseWith(WorkspaceIndex),
  instructions: parseWith(PromptPackFile),
  template: parseWith(MessageParts),
  'tool-set': parseWith(ToolCatalogFile),
  descriptor: parseWith(ToolDescriptor),
};

const snippets = pages.flatMap((page) =>
  [...textOf(page).matchAll(/^```json([^\n]*)\n([\s\S]*?)^```/gm)].map(([, info = '', text = '']) => ({
    page,
    kind: info.trim().split(' ')[0] ?? '',
    text,
  })),
);

/** The names that a page does not format as code. */
const missing = (page: string, names: readonly string[]): readonly string[] =>
  names.filter((name) => !textOf(page).includes(`\`${name}\``));

describe('the user guide', () => {
  it.each(snippets)('[DOC-user-json] $page: an example of a $kind is accepted', ({ kind, text }) => {
    const check = kinds[kind];
    if (!check) throw new Error(`A JSON block names what it is, one of: ${Object.keys(kinds).join(', ')}.`);
    check(text);
  });

  it('[DOC-user-json] has an example of each kind of file', () => {
    expect(new Set(snippets.map(({ kind }) => kind))).toEqual(new Set(Object.keys(kinds)));
  });

  it('[CFG-documented] names every field of the policy files and every variable', () => {
    const { node, run } = BudgetsFile.shape;
    expect(missing('mcp-servers.md', registryFields)).toEqual([]);
    expect(
      missing('policy-files.md', [
        ...Object.keys(Capabilities.shape),
        ...Object.keys(node.unwrap().shape),
        ...Object.keys(run.unwrap().shape),
        ...['PATINA_HOME', 'MCP_REGISTRY', 'CAPABILITIES', 'BUDGETS', 'ARTIFACT_DIR', 'SANDBOX_PATH'],
        ...['PATINA_AGENT_MODE', 'OPENAI_BASE_URL', 'OPENAI_API_KEY', 'PATINA_MODEL', 'PATINA_WITHOUT_PACKS'],
      ]),
    ).toEqual([]);
  });

  it('[DOC-user-fields] names every field of workflows, plans, recipes and every word class', () => {
    expect(
      missing('workflows.md', [
        ...Object.keys(WorkflowDefinition.shape),
        ...Object.keys(InputValidation.shape),
        ...InputType.options,
        ...CompletionCheck.options.map(({ shape }) => shape.kind.value),
        ...WorkflowPrecondition.options.map(({ shape }) => shape.kind.value),
      ]),
    ).toEqual([]);
    expect(missing('agent-mode.md', Object.keys(PlanNode.shape))).toEqual([]);
    // In a file, `plan` holds the later stages.
    const written = Object.keys(Recipe.shape).filter((field) => field !== 'following');
    expect(missing('recipes.md', written)).toEqual([]);
    expect(
      missing(
        'packs.md',
        Object.keys(wordClasses).map((name) => `{${name}}`),
      ),
    ).toEqual([]);
  });

  it('[DOC-user-codes] explains every error code and what to do', () => {
    const codes = Object.entries(errorCodes).flatMap(([kind, of]) => of.map((code) => `${kind}/${code}`));
    const rows = textOf('troubleshooting.md').matchAll(/^\| `([A-Z]+\/[A-Z_]+)` *\|([^|]+)\|([^|]+)\|$/gm);
    const explained = [...rows].filter(
      ([, , what = '', next = '']) => what.trim() !== '' && next.trim() !== '',
    );
    expect(explained.map(([, code]) => code)).toEqual(codes);
  });

  it('[DOC-help-shipped] is part of the packaged app, and links to nothing outside it', () => {
    expect(readFileSync(resolve('electron-builder.yml'), 'utf8')).toContain('  - docs/user/**\n');
    const targets = pages.flatMap((page) =>
      [...textOf(page).matchAll(/\]\(([^)]+)\)/g)].map(([, target = '']) => ({ page, target })),
    );
    const known = (target: string) => pages.includes(target.replace(/#.*/, ''));
    const leaving = targets.filter(({ target }) => !/^(https:|#)/.test(target) && !known(target));
    expect(leaving).toEqual([]);
  });

  it('[DOC-user-links] links only to existing files, and its index to every page', () => {
    const links = pages.flatMap((page) =>
      [...textOf(page).matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, target = '']) => ({ page, target })),
    );
    const broken = links.filter(({ page, target }) => !existsSync(join(dirname(join(folder, page)), target)));
    expect(broken).toEqual([]);
    const index = links.filter(({ page }) => page === 'README.md').map(({ target }) => target);
    expect(pages.filter((page) => page !== 'README.md' && !index.includes(page))).toEqual([]);
    expect(readFileSync(resolve('README.md'), 'utf8')).toContain('(docs/user/README.md)');
  });
});
