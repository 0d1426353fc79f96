import { err, ok, type Result } from '#shared/result';
import { appError } from '#shared/app-error';
import { WorkspaceCall, type WorkspaceView } from '#shared/workspace-call';
import type { BuiltInTool } from '../ports/built-in-tool';
import type { WorkspaceController } from './workspace-controller';

/** A command on the workspace: its single parameter, the call it makes, and the summary of its effect. */
interface CommandTool {
  readonly name: string;
  readonly parameter: string;
  readonly purpose: string;
  readonly call: (value: string) => object;
  readonly summary: (view: WorkspaceView, value: string) => string;
}

const short = (hash: string | null | undefined): string => hash?.slice(0, 12) ?? '';

function synced({ state: { pending, sync } }: WorkspaceView): string {
  if (sync?.status === 'unchanged' || !pending) return 'Nothing changed in the workspace.';
  return `Synced: version ${short(pending.hash)} is ready to use.`;
}

const whenText: Readonly<Record<string, string>> = {
  next_run: 'with the next message',
  next_step_boundary: 'at the next step',
  immediate_if_idle: 'when the current work ends',
};

const adopted = ({ state: { waiting, active } }: WorkspaceView): string =>
  waiting
    ? `Version ${short(waiting.hash)} becomes active ${whenText[waiting.when] ?? ''}.`
    : `Version ${short(active)} is active.`;

const commandTools: readonly CommandTool[] = [
  {
    name: 'workspace_sync',
    parameter: 'workspace',
    purpose: 'Reads an agent workspace.',
    call: (workspace) => ({ op: 'sync', workspace }),
    summary: synced,
  },
  {
    name: 'workspace_apply',
    parameter: 'when',
    purpose: 'Adopts what the last sync found.',
    call: (when) => ({ op: 'apply', when }),
    summary: adopted,
  },
  {
    name: 'workspace_use_pack',
    parameter: 'promptPack',
    purpose: 'Uses another prompt pack.',
    call: (promptPack) => ({ op: 'choose', promptPack }),
    summary: (_view, pack) => `Instructions: ${pack}`,
  },
  {
    name: 'workspace_use_catalog',
    parameter: 'toolCatalog',
    purpose: 'Uses another tool set (tool catalog).',
    call: (toolCatalog) => ({ op: 'choose', toolCatalog }),
    summary: (_view, catalog) => `Tool set: ${catalog}`,
  },
  {
    name: 'workspace_roll_back',
    parameter: 'snapshot',
    purpose: 'Adopts an earlier snapshot.',
    call: (hash) => ({ op: 'rollback', hash }),
    summary: adopted,
  },
];

function callOf({ call, parameter }: CommandTool, argumentsJson: string, sessionId: string | null) {
  const args = JSON.parse(argumentsJson) as Readonly<Record<string, string>>;
  const value = args[parameter] ?? '';
  const parsed = WorkspaceCall.safeParse({ ...call(value), ...(sessionId !== null && { sessionId }) });
  return parsed.success ? { call: parsed.data, value } : null;
}

/**
 * The user's commands on the agent workspace; models are never offered one (P3 §6).
 */
export function createWorkspaceTools({ call }: Pick<WorkspaceController, 'call'>): readonly BuiltInTool[] {
  return commandTools.map((tool) => ({
    name: tool.name,
    isToolFullyExecutedOnServer: true,
    commandOnly: true,
    needsSession: true,
    toolUsageMetadata: tool.purpose,
    schema: {
      type: 'object',
      properties: { [tool.parameter]: { type: 'string' } },
      required: [tool.parameter],
      additionalProperties: false,
    },
    async execute(argumentsJson, { sessionId }): Promise<Result<string>> {
      const made = callOf(tool, argumentsJson, sessionId);
      if (!made) return err(appError('HOST', 'INVALID_INPUT', `${tool.parameter} is not valid.`));
      const answer = await call(made.call);
      if (!answer.ok) return answer;
      return ok(JSON.stringify({ success: true, summary: tool.summary(answer.value, made.value) }));
    },
  }));
}
