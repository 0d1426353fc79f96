import type { TaintSource } from '#shared/approval';
import type { Plan } from '#shared/plan';
import type { NodeState, RunState } from '#shared/session-state';
import type { AgentRequest, EarlierTurn } from '../ports/agent';
import type { ToolDefinition } from '../ports/tool-definition';
import { onlyConfirms } from '../tools/call-record';
import type { ToolListing } from '../tools/call-scope';
import { mergeTaintSources } from '../tools/taint-tracker';
import { readCode, withReturn } from './check-code';
import { attachedInput, attachedOrigins } from './attached';
import { attachedName, eachOfSession, previousName } from './each';
import type { NodeOutcome } from './node-run';

/** The nodes whose results a model and scripts can read: finished ones, without the host's approval nodes. */
export const resultNodes = ({ nodes, announces = {} }: RunState): readonly NodeState[] =>
  nodes.filter(({ id, status }) => status === 'done' && !Object.hasOwn(announces, id));

type Conversation = Pick<AgentRequest, 'conversation'>;

/** The results of the newest earlier run that has any, as one input; null without such a run. */
function previousRun({ conversation = [] }: Conversation): NodeOutcome | null {
  const nodes = conversation
    .map(({ run }) => (run ? resultNodes(run) : []))
    .findLast((results) => results.length > 0);
  if (!nodes) return null;
  const state = Object.fromEntries(nodes.map((node) => [node.id, node.state ?? {}]));
  const origins = mergeTaintSources(...nodes.map((node) => node.origins ?? []));
  return { id: previousName, status: 'done', summary: '', state, origins, cached: false };
}

/** What the session has for scripts besides the results of the run: its newest run, and the line's items. */
export const sessionInputs = (
  request: Pick<AgentRequest, 'attached' | 'conversation'>,
): readonly NodeOutcome[] => [previousRun(request), attachedInput(request)].filter((input) => input !== null);

/** The node id of what a model read for a reply. */
const replyName = 'ask';

/** The sources of a reply: the tools that the model called for it. A tool that is no longer listed is untrusted. */
const calledOrigins = (
  called: EarlierTurn['called'] = [],
  tools: readonly ToolDefinition[],
): readonly TaintSource[] =>
  called.flatMap((source) => {
    const definition = tools.find(({ uri }) => uri === source);
    if (onlyConfirms(definition)) return [];
    return [{ source, nodeId: replyName, trusted: definition?.trusted === true }];
  });

/** The sources of everything that a planning model was shown of earlier turns and of the line. */
export const shownOrigins = (
  { conversation = [], attached }: Pick<AgentRequest, 'attached' | 'conversation'>,
  { tools }: Pick<ToolListing, 'tools'>,
): readonly TaintSource[] =>
  mergeTaintSources(
    attachedOrigins({ attached }),
    ...conversation.flatMap(({ attached: earlier, called, run }) => [
      attachedOrigins({ attached: earlier }),
      calledOrigins(called, tools),
      ...(run?.nodes ?? []).map(({ origins = [] }) => origins),
    ]),
  );

/** Whether a step of the plan reads what only its session has. */
export const readsSession = ({ nodes }: Pick<Plan, 'nodes'>): boolean =>
  nodes.some(
    (node) =>
      eachOfSession(node) !== undefined ||
      readCode(withReturn(node.code ?? '').code, false).inputs.some(
        (input) => input.node === previousName || input.node === attachedName,
      ),
  );
