import { appError } from '#shared/app-error';
import type { JsonObject } from '#shared/json';
import { createAskDesk } from '../tools/ask-user';
import { canonicalHash } from '../tools/canonical-hash';
import { cancelledNode, failed, type NodeEnd, type NodeTask, type RunContext } from './node-run';

const tool = 'request_user_approval';

/** Asks the user the node's question; a no fails the node with POLICY/APPROVAL_DENIED and skips what depends on it. */
export async function runApprovalNode(
  run: RunContext,
  { node, inputs, origins }: NodeTask,
): Promise<NodeEnd> {
  const args: JsonObject = {
    action: node.prompt ?? node.title,
    ...(node.params && { arguments: node.params }),
    inputs,
  };
  const question = {
    turn: run.request.turn,
    runId: run.runId,
    nodeId: node.id,
    tool,
    arguments: args,
    ...(origins.length > 0 && { origins }),
  };
  const hash = canonicalHash({ tool, arguments: args });
  const { ids, clock, approvals, facts } = run;
  const { approve } = run.request;
  const desk = createAskDesk({ ids, clock, approvals, approve, facts, onWaiting: run.life.wait });
  const { answer } = await desk.ask({ ...question, hash }, run.life.signal);
  if (answer === 'withdrawn') return cancelledNode(node.id);
  if (answer === 'approved') {
    return { id: node.id, status: 'done', summary: 'Approved.', state: { approved: true }, cached: false };
  }
  const message = `“${node.title}” was not approved.`;
  return failed(node.id, appError('POLICY', 'APPROVAL_DENIED', message, { layer: 'approval' }));
}
