import path from 'node:path';
import type { Ddr } from '#shared/ddr';
import type { JsonObject } from '#shared/json';
import { ok, type Result } from '#shared/result';
import type { WorkflowDefinition, WorkflowRow } from '#shared/workflow';
import type { AuthoringAnswer } from '#shared/workflow-authoring';
import { createWorkflowFolder } from '../main/adapters/workflows/workflow-folder';
import { canonicalHash } from '../core/tools/canonical-hash';
import { createAuthoring } from '../core/workflows/authoring/create-authoring';
import type { AuthoringQuestion } from '../core/workflows/authoring/authoring-context';
import { contextOf } from './ddr-harness';
import { approvingDdr } from './sample-workflows';
import { createTempTree } from './temp-tree';

export interface AuthoringHarnessOptions {
  /** The workflows that ship with Patina, each approved by its record. */
  readonly bundled?: readonly WorkflowDefinition[];
  /** The user's answer to a model's questions; may have side effects. */
  readonly answer?: (question: AuthoringQuestion) => boolean | Promise<boolean>;
  readonly files?: Readonly<Record<string, string>>;
  /** Sees each hash before it is written into a record; a failure keeps it out. */
  readonly onRecord?: (hash: string | null) => Result<null> | undefined;
}

const bundledRow = (definition: WorkflowDefinition): WorkflowRow => ({
  definition,
  layer: { kind: 'seed' },
  hash: canonicalHash(definition),
});

const facts = {
  modes: [
    { key: 'general', tools: ['mcp://*'] },
    { key: 'ddr_authoring', tools: ['agent_ddr_manager', 'mcp://project.*'] },
  ],
  tools: [
    { name: 'agent_ddr_manager', access: 'host' },
    { name: 'agent_workflow_authoring', access: 'host' },
    { name: 'request_user_approval', access: 'host' },
    { name: 'mcp://project.git_diff', access: 'read' },
    { name: 'mcp://filesystem.write_file', access: 'write' },
  ],
  serversUnknown: null,
  alwaysOffered: ['request_user_approval'],
} as const;

/**
 * Authoring over a real folder, with two modes, a few tools and the records WFL-001 (approved) and WFL-002 (a
 * draft).
 */
export function createAuthoringHarness({
  bundled = [],
  answer = () => false,
  files = {},
  onRecord = () => undefined,
}: AuthoringHarnessOptions = {}) {
  const tree = createTempTree(files);
  const asked: AuthoringQuestion[] = [];
  const ddrs = new Map<string, Ddr>([
    ['WFL-001', approvingDdr(bundled)],
    ['WFL-002', approvingDdr([], { id: 'WFL-002', status: 'draft' })],
  ]);
  const folder = path.join(tree.root, 'workflows');
  const openStore = () =>
    createWorkflowFolder({
      folder,
      bundled: bundled.map(bundledRow),
      hash: canonicalHash,
      pid: process.pid,
      processAlive: (pid) => pid === process.pid,
      now: () => 1_000,
      wait: () => new Promise((resolve) => setImmediate(resolve)),
    });
  const store = openStore();
  const authoring = createAuthoring({
    store,
    ddr: (id) => ddrs.get(id) ?? null,
    recordHash: (id, workflowId, hash) => {
      const refused = onRecord(hash);
      if (refused) return Promise.resolve(refused);
      const record = ddrs.get(id);
      const { [workflowId]: _before, ...others } = record?.workflows ?? {};
      const workflows = hash === null ? others : { ...others, [workflowId]: hash };
      if (record) ddrs.set(id, { ...record, workflows });
      return Promise.resolve(ok(null));
    },
    userName: () => 'Ada Lovelace',
    localTime: () => '2026-03-04T05:06:07+01:00',
    askUser: async (question) => {
      asked.push(question);
      return answer(question);
    },
    facts: () => Promise.resolve(facts),
  });
  const as =
    (actor: 'user' | 'model') =>
    (operation: string, call: JsonObject = {}): Promise<AuthoringAnswer> =>
      authoring.call({ operation, ...call }, contextOf(actor));
  return { tree, folder, asked, ddrs, store, openStore, authoring, user: as('user'), model: as('model') };
}

/** The fields that make a new draft publishable. */
export const completeFields: JsonObject = {
  UserIntentPatterns: ['Review the open pull request'],
  InstructionText: '1. Read the difference with mcp://project.git_diff.\n2. Report.',
  PermittedTools: ['mcp://project.git_diff'],
  CompletionCriteria: [
    { text: 'The difference was read.', check: { kind: 'tool-called', tool: 'mcp://project.git_diff' } },
  ],
  Ddr: 'WFL-001',
};
