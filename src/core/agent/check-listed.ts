import type { AppError } from '#shared/app-error';
import type { Budgets } from '#shared/budgets';
import type { PlanNode } from '#shared/plan';
import { err, ok, type Result } from '#shared/result';
import type { DiscoveryMode } from '../ports/discovery-mode';
import type { ToolListing } from '../tools/call-scope';
import type { ToolCalls } from '../tools/call-tool';
import { readCode } from './check-code';
import { checkPlan, noEarlierNodes, readableNodes, type CheckedPlan, type EarlierNodes } from './check-plan';
import { serverOf } from './script-tools';

/** The servers that a script names, as spelled in the script and with `-` for `_`. */
function serversIn({ code = '' }: PlanNode): readonly string[] {
  const spelled = readCode(code, false).tools.map(({ alias }) => alias.slice(0, alias.indexOf('.')));
  return spelled.flatMap((name) => [name, name.replaceAll('_', '-')]);
}

/** The servers that a plan names; `undefined` (all of them) when the tools of a script are not declared. */
function serversOf(nodes: readonly PlanNode[]): readonly string[] | undefined {
  const scripts = nodes.filter(({ code }) => code?.includes('tools') === true);
  const declared = nodes.flatMap(({ tools }) => tools ?? []).map((uri) => serverOf(uri));
  // A pattern like `mcp://*` names no server of its own.
  const open = declared.some((name) => name === '' || name.includes('*'));
  const known = scripts.every(({ tools }) => tools !== undefined) && !open;
  return known ? [...new Set([...declared, ...scripts.flatMap(serversIn)])] : undefined;
}

const noTools: ToolListing = { tools: [], servers: [] };

export interface CheckNeeds {
  /** The inputs that the session has for scripts. */
  readonly ofSession?: readonly string[];
  readonly toolCalls: Pick<ToolCalls, 'list'>;
  readonly project: string;
  readonly budgets: Budgets;
  readonly signal?: AbortSignal;
}

/** A plan that may run, with the tools that its gate knows. */
export interface CheckedListing {
  readonly checked: CheckedPlan;
  readonly listing: ToolListing;
}

/** Checks a plan that no model is planning now against the tools of the servers that it names. */
export async function checkListed(
  needs: CheckNeeds,
  value: unknown,
  how: DiscoveryMode,
  earlier?: EarlierNodes,
): Promise<Result<CheckedListing, readonly AppError[]>> {
  const { toolCalls, project, budgets, signal, ofSession = [] } = needs;
  const servers = serversOf(readableNodes(value));
  const listed = servers?.length === 0 ? ok(noTools) : await toolCalls.list(project, servers, how);
  if (!listed.ok) return err([listed.error]);
  const readable = { ...(earlier ?? noEarlierNodes), ofSession };
  const checked = checkPlan(value, listed.value, budgets, readable);
  if (checked.ok) return ok({ checked: checked.value, listing: listed.value });
  // A tool list cached in an earlier start may lack tools that the servers offer by now.
  const missing = checked.error.some(({ code }) => code === 'UNKNOWN_TOOL');
  // An aborted run starts no servers for a live listing.
  const listAgain = missing && how === 'needed' && signal?.aborted !== true;
  return listAgain ? checkListed(needs, value, 'live', earlier) : checked;
}
