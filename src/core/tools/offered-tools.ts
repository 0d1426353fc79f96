/** The tools of one model call, as far as the prompt depends on them. */
export interface OfferedTools {
  readonly names: readonly string[];
  /**
   * The reach of the tools: Patina only, systems that servers reach, or anything a plan's scripts reach; nothing for
   * a model that calls no tools.
   */
  readonly reach: 'nothing' | 'patina' | 'servers' | 'scripts';
}

/**
 * Whether a planning call offers a built-in tool. The others belong to Ask and to workflow steps: a plan's
 * scripts do the work, and the user starts a workflow.
 */
export const isPlannerTool = (name: string): boolean =>
  name === 'agent_change_mode' || name === 'agent_list_modes';

/** A call that offers no tools, such as an answer or a step that a model does alone. */
export const noTools: OfferedTools = { names: [], reach: 'patina' };

/** Matches the names of Patina's own tools in a text. */
const hostToolName = /\b(?:agent_[a-z_]+|request_user_approval)\b/g;

/** Drops the host's lines that name a tool the call does not offer. */
export function linesFor(offered: OfferedTools, lines: readonly string[]): readonly string[] {
  const names = new Set(offered.names);
  return lines.filter((line) => (line.match(hostToolName) ?? []).every((name) => names.has(name)));
}

/**
 * Tells a model what it can do in this call, derived from the tools it is sent; no other code claims or
 * denies the reach of tools. A planning call describes its reach in its own blocks, and a call without tools
 * needs only its task.
 */
export function reachText({ names, reach }: OfferedTools): string {
  if (reach === 'nothing') {
    return 'You have no tools here: you cannot read files, run shell commands or reach the network. You know only what is written here and what the user attaches; ask for what you need to see.';
  }
  if (names.length === 0 || reach === 'scripts') return '';
  if (reach === 'servers') {
    return 'The tools of this request are what you can do here. Call them to see the files and systems they reach before you describe these; say so when none of them reaches what is needed.';
  }
  return 'With the tools of this request you cannot read files, run shell commands or reach the network. You know only what is written here and what the user attaches; ask for what you need to see.';
}
