import type { TaintSource } from '#shared/approval';
import type { Plan } from '#shared/plan';
import type { NodeState, RunState } from '#shared/session-state';
import type { AgentRequest } from '../ports/agent';
import { mergeTaintSources } from '../tools/taint-tracker';
import { readCode } from './check-code';
import { eachReadsPrevious, previousName } from './each';
import type { NodeOutcome } from './node-run';

/** The nodes whose results a model and scripts can read: finished ones, without the host's approval nodes. */
export const resultNodes = ({ nodes, announces = {} }: RunState): readonly NodeState[] =>
  nodes.filter(({ id, status }) => status === 'done' && !Object.hasOwn(announces, id));

type Conversation = Pick<AgentRequest, 'conversation'>;

/** The results of the newest earlier run that has any, as one input; null without such a run. */
export function previousRun({ conversation = [] }: Conversation): NodeOutcome | null {
  const nodes = conversation
    .map(({ run }) => (run ? resultNodes(run) : []))
    .findLast((results) => results.length > 0);
  if (!nodes) return null;
  const state = Object.fromEntries(nodes.map((node) => [node.id, node.state ?? {}]));
  const origins = mergeTaintSources(...nodes.map((node) => node.origins ?? []));
  return { id: previousName, status: 'done', summary: '', state, origins, cached: false };
}

/** The sources of everything that a planning model was shown of earlier turns. */
export const shownOrigins = ({ conversation = [] }: Conversation): readonly TaintSource[] =>
  mergeTaintSources(
    ...conversation.flatMap(({ run }) => (run?.nodes ?? []).map(({ origins = [] }) => origins)),
  );

/** Whether a step of the plan reads the results of an earlier run. */
export const readsPrevious = ({ nodes }: Pick<Plan, 'nodes'>): boolean =>
  nodes.some(
    (node) =>
      eachReadsPrevious(node) ||
      readCode(node.code ?? '', false).inputs.some((input) => input.node === previousName),
  );
