import type { BudgetSettings } from '#shared/budgets';
import { appError } from '#shared/app-error';
import type { IpcHandlers } from '#shared/ipc';
import type { elicitationCalls, grantCalls, recipeCalls } from '#shared/ipc-agent';
import type { artifactCalls } from '#shared/ipc-artifacts';
import type { serverRequests } from '#shared/ipc-servers';
import type { workspaceCalls } from '#shared/ipc-workspace';
import { err, ok } from '#shared/result';
import { initialWorkspace } from '#shared/workspace';
import type { WorkspaceView } from '#shared/workspace-call';

/** An untouched workspace. */
const untouchedWorkspace: WorkspaceView = {
  sessionId: null,
  project: null,
  state: initialWorkspace,
  running: false,
  workspaces: ['default'],
  folder: null,
  builtIn: true,
  folderChanged: null,
  contents: null,
  staged: null,
  findings: [],
  applyEffects: { next_run: 'Next.', next_step_boundary: 'Step.', immediate_if_idle: 'Now.' },
  snapshots: [],
};

/** A project without limits of its own. */
const noBudgets: BudgetSettings = {
  file: '/home/me/project/.patina/budgets.json',
  own: {},
  defaults: {
    node: {
      cpu_ms: 10_000,
      mem_mb: 64,
      max_ops: 10_000_000,
      tool_calls: 2_000,
      output_bytes: 65_536,
      tokens: 16_000,
    },
    run: { nodes: 32, wall_ms: 600_000, tool_calls: 10_000, tokens: 200_000, replans: 1, stages: 6 },
  },
};

/** The double's answers for pages that fetch their own data: no servers, and nothing bound. */
export const pageHandlers: Pick<
  IpcHandlers,
  | keyof typeof serverRequests
  | keyof typeof workspaceCalls
  | keyof typeof grantCalls
  | keyof typeof recipeCalls
  | keyof typeof elicitationCalls
  | keyof typeof artifactCalls
> = {
  'server-list': () => ok({ file: '/home/me/.patina/mcp/registry.json', servers: [] }),
  'server-save': () => ok(null),
  'server-remove': () => ok(null),
  'server-allow': () => ok(null),
  'server-tool-switch': () => ok(null),
  'budget-settings': () => ok(noBudgets),
  'budget-set': () => ok(noBudgets),
  'server-import-choose': () => ok(null),
  'server-sign-in-offer': ({ name }) =>
    ok({ server: name, serverHost: 'mcp.example.org', host: 'login.example.org', scopes: [] }),
  'server-sign-in': ({ name, host }) => ok({ server: name, serverHost: 'mcp.example.org', host, scopes: [] }),
  'server-sign-in-cancel': () => ok(null),
  'server-sign-out': () => ok(null),
  'server-import': () => ok(null),
  'recipe-list': () => ok([]),
  'recipe-draft': () => ok({ candidates: [], recipe: null, findings: [] }),
  'recipe-save': () => err(appError('HOST', 'STATE', 'Nothing is kept here.')),
  'artifact-save': () => ok('/home/me/artifact.json'),
  'artifact-image': () => ok({ dataUrl: 'data:image/png;base64,AA==', width: 60, height: 40 }),
  'artifact-read': () => ok({ text: 'one\ntwo', bytes: 7, lines: 2, cut: false }),
  'elicitation-list': () => ok([]),
  'elicitation-answer': () => ok(null),
  'grant-list': () => ok([]),
  'grant-revoke': () => ok(null),
  'tool-change': () => ok(null),
  'tool-accept': () => ok(null),
  'tool-keep-blocked': () => ok(null),
  'workspace-call': () => ok(untouchedWorkspace),
  'workspace-allow': () => ok(null),
  'workspace-create': () => ok(null),
  'turn-steps': () => ok([]),
  'snapshot-image': () => err(appError('HOST', 'NOT_FOUND', 'There is no such image.')),
};
