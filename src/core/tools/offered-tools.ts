/** The tools of one model call, as far as its words depend on them. */
export interface OfferedTools {
  readonly names: readonly string[];
  /** What they reach: Patina alone, what servers reach, or whatever the scripts of a plan reach. */
  readonly reach: 'patina' | 'servers' | 'scripts';
}

/** A call that offers nothing, such as an answer or a step that a model does alone. */
export const noTools: OfferedTools = { names: [], reach: 'patina' };

/** What Patina's own tools are called wherever a text names one. */
const hostToolName = /\b(?:agent_[a-z_]+|request_user_approval)\b/g;

/** The host's lines without those that name a tool the call does not offer. */
export function linesFor(offered: OfferedTools, lines: readonly string[]): readonly string[] {
  const names = new Set(offered.names);
  return lines.filter((line) => (line.match(hostToolName) ?? []).every((name) => names.has(name)));
}

/**
 * What a model can do in this call, from the tools it is sent: the one place where the prompt denies or claims the reach of
 * tools. A planning call says it in its own blocks, and a call without any tool has its task and needs no more.
 */
export function reachText({ names, reach }: OfferedTools): string {
  if (names.length === 0 || reach === 'scripts') return '';
  if (reach === 'servers') {
    return 'The tools of this request are what you can do here. Call them to see the files and systems they reach before you describe these; say so when none of them reaches what is needed.';
  }
  return 'With the tools of this request you cannot read files, run shell commands or reach the network. You know only what is written here; ask for what you need to see.';
}
