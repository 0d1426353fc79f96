import { appError } from '#shared/app-error';
import type { Capabilities } from '#shared/capabilities';
import type { JsonObject } from '#shared/json';
import { err, type Result } from '#shared/result';
import type { SessionFact } from '#shared/session-event';
import type { ModelTool } from '../ports/llm';
import type { ToolDefinition } from '../ports/tool-definition';
import { canonicalHash } from './canonical-hash';
import type { RecordedApprovals } from './gate';
import type { ModelToolCaller } from './model-tool-caller';
import { serverToolNames } from './server-tool-names';
import { excludedBy } from './tool-lists';
import { patternApplies, patternNames } from './tool-pattern';
import type { ToolLists } from '../ports/tool-lists';

/** Asks the user to approve one call just before it is made. */
export type AskForCall = (tool: string, args: JsonObject) => Promise<Result<boolean>>;

export interface AskCall {
  readonly turn: number;
  readonly tool: string;
  readonly args: JsonObject;
  readonly lists: ToolLists;
  readonly record: (facts: readonly SessionFact[]) => boolean;
  readonly approve: AskForCall;
}

/** Tools in Ask: calls server tools through ordinary function calling, for users who switched it on. */
export interface AskToolCaller {
  /** The tools that every list and the capabilities allow; none when the servers cannot be asked. */
  offered(project: string, lists: ToolLists): Promise<readonly (ModelTool & { readonly uri: string })[]>;
  /** Never throws. A write that the user did not approve returns POLICY/APPROVAL_DENIED. */
  call(project: string, call: AskCall, signal: AbortSignal): Promise<Result<string>>;
}

/** Whether some call of the tool can pass the manifest; the gate judges each call by its arguments. */
function mayPass({ uri }: ToolDefinition, { allow, deny }: Capabilities): boolean {
  return (
    allow.some((pattern) => patternNames(pattern, uri)) &&
    !deny.some((pattern) => patternApplies(pattern, uri, {}))
  );
}

/** Every write needs its own approval, and its call uses that approval up. */
function oneYes(): RecordedApprovals & {
  readonly give: (hash: string) => void;
  readonly missing: () => boolean;
} {
  const yes = new Set<string>();
  let missing = false;
  return {
    needed: (_call, write) => write,
    isApproved(hash) {
      missing = !yes.has(hash);
      return !missing;
    },
    use: (hash) => yes.delete(hash),
    give: (hash) => void yes.add(hash),
    // The user is not asked about a call that was refused for another reason, such as a saved `never`.
    missing: () => missing,
  };
}

export function createAskToolCaller(calls: ModelToolCaller): AskToolCaller {
  return {
    async offered(project, lists) {
      const listed = await calls.list(project);
      if (!listed.ok) return [];
      const { listing, capabilities } = listed.value;
      // Names are computed over all listed tools, so a name means the same tool whatever is offered.
      const names = new Map(
        [...serverToolNames(listing.tools.map(({ uri }) => uri))].map(([n, u]) => [u, n]),
      );
      return listing.tools
        .filter((tool) => !excludedBy(lists, tool.uri) && mayPass(tool, capabilities))
        .map(({ uri, description, inputSchema }) => ({
          uri,
          description,
          parameters: inputSchema,
          name: names.get(uri) ?? uri,
        }));
    },
    async call(project, { approve, ...call }, signal) {
      const { tool, args, turn } = call;
      const recorded = oneYes();
      const made = { ...call, recorded, runId: `ask-${turn}`, nodeId: 'ask' };
      const first = await calls.call(project, made, undefined, signal);
      if (first.ok || !recorded.missing()) return first;
      const answer = await approve(tool, args);
      if (!answer.ok) return answer;
      if (!answer.value) {
        const more = { layer: 'approval', tool };
        return err(appError('POLICY', 'APPROVAL_DENIED', `${tool} was not approved.`, more));
      }
      recorded.give(canonicalHash({ tool, arguments: args }));
      return calls.call(project, made, undefined, signal);
    },
  };
}
