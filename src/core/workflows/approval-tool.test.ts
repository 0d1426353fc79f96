import { describe, expect, it } from 'vitest';
import { sampleWorkflow } from '../../testing/sample-workflows';
import { answerIn, createWorkflowSession } from '../../testing/workflow-session';
import { canonicalHash } from '../tools/canonical-hash';
import { answerOrphanedApproval, approvalTool } from './approval-tool';
import { startTool } from './start-tool';

const write = 'mcp://filesystem.write_file';
const workflow = sampleWorkflow({ PermittedTools: [write, 'agent_ddr_manager'] });
const args = { path: 'notes.md', content: 'Hello.' };
const wanted = { action: 'Write the notes', tool: write, arguments: args };
const hash = canonicalHash({ tool: write, arguments: args });
const user = { actor: 'user' } as const;

async function started() {
  const session = createWorkflowSession([workflow]);
  await session.call(startTool, { workflowId: 'create_ddr' }, user);
  const workflowRunId = session.run()?.workflowRunId ?? '';
  return { ...session, workflowRunId, answered: () => session.facts('workflow-approval-answered') };
}

describe('a model that asks for an approval', () => {
  it('[T6-7-3-approval] shows the user the exact call, and a yes approves that call only', async () => {
    const session = await started();
    session.click('Approve');
    expect(answerIn(await session.call(approvalTool, wanted))).toEqual({ approved: true });
    const { workflowRunId } = session;
    expect(session.asked).toMatchObject([
      {
        text: 'Write the notes',
        options: ['Approve', 'Do not approve'],
        mode: 'general',
        focusId: null,
        call: { tool: write, arguments: args, hash, workflowRunId },
      },
    ]);
    const approval = { action: 'Write the notes', tool: write, hash, approved: true };
    expect(session.answered()).toMatchObject([{ workflowRunId, turn: 0, approval }]);
    expect(session.run()?.approvals).toEqual([{ ...approval, used: false }]);
  });

  it('[T6-7-3-approval] learns of a no, which is recorded', async () => {
    const session = await started();
    session.click('Do not approve');
    expect(answerIn(await session.call(approvalTool, wanted))).toEqual({
      approved: false,
      reason: 'The user did not approve it.',
    });
    expect(session.answered()).toMatchObject([{ approval: { hash, approved: false } }]);
  });

  it('[T6-7-3-approval] is asked once for a call, by either of the tool’s names, until it is used', async () => {
    const session = await started();
    session.click('Approve', 'Do not approve');
    const byCalledName = { ...wanted, tool: 'filesystem__write_file' };
    await session.call(approvalTool, byCalledName);
    expect(session.answered()).toMatchObject([{ approval: { tool: write, hash } }]);
    expect(answerIn(await session.call(approvalTool, wanted))).toEqual({ approved: true });
    expect(session.asked).toHaveLength(1);
    const { workflowRunId, sessionId } = session;
    session.log.append(sessionId, [{ type: 'workflow-approval-used', workflowRunId, turn: 0, hash }]);
    expect(answerIn(await session.call(approvalTool, wanted))).toMatchObject({ approved: false });
    expect(session.asked).toHaveLength(2);
  });

  it('[T6-7-3-approval] is asked again for other arguments and for another tool', async () => {
    const session = await started();
    session.click('Approve');
    await session.call(approvalTool, wanted);
    await session.call(approvalTool, { ...wanted, arguments: { ...args, content: 'Other.' } });
    await session.call(approvalTool, { ...wanted, tool: 'agent_ddr_manager' });
    await session.call(approvalTool, { action: 'Approve the record', tool: 'agent_ddr_manager' });
    expect(session.asked.map(({ call }) => [call?.tool, call?.arguments])).toEqual([
      [write, args],
      [write, { ...args, content: 'Other.' }],
      ['agent_ddr_manager', args],
      ['agent_ddr_manager', {}],
    ]);
  });

  it('asks each time about an action that is no call', async () => {
    const session = await started();
    session.click('Approve');
    for (let times = 0; times < 2; times += 1) {
      expect(answerIn(await session.call(approvalTool, { action: 'Send it' }))).toEqual({ approved: true });
    }
    expect(session.asked).toHaveLength(2);
    expect(session.asked[0]).not.toHaveProperty('call');
    expect(session.run()?.approvals[0]).toEqual({ action: 'Send it', approved: true, used: false });
  });

  it('[T6-6-4-cards] learns that the workflow ended while the card was open', async () => {
    const session = await started();
    const asked = session.call(approvalTool, wanted);
    session.workflows.controller.cancel(session.sessionId);
    expect(await asked).toMatchObject({
      error: {
        kind: 'HOST',
        code: 'STATE',
        message: 'The workflow that asked for this is over, so nothing was approved.',
      },
    });
    expect(session.answered()).toEqual([]);
  });

  it('[T6-7-3-outside] is refused without a workflow or a session', async () => {
    const session = createWorkflowSession([workflow]);
    expect(await session.call(approvalTool, wanted)).toMatchObject({
      error: {
        kind: 'HOST',
        code: 'STATE',
        message: 'No workflow is running, so there is nothing to approve.',
        tool: approvalTool,
        hint: 'Call the tool itself: Patina asks the user where a call needs a yes.',
      },
    });
    for (const sessionId of [null, 'ses_unknown']) {
      expect(await session.call(approvalTool, wanted, { sessionId })).toMatchObject({
        error: {
          code: 'STATE',
          message: 'There is no session whose user could be asked.',
          tool: approvalTool,
        },
      });
    }
    expect(session.asked).toEqual([]);
  });
});

describe('an approval card whose process is gone', () => {
  async function orphan() {
    const session = await started();
    const stop = new AbortController();
    void session.call(approvalTool, wanted, { signal: stop.signal });
    const [card] = session.asked;
    if (!card) throw new Error('There is no card.');
    return {
      ...session,
      card,
      place: { sessionId: session.sessionId, turn: 3, questionId: card.questionId },
    };
  }

  it.each([
    ['Approve', true],
    ['Do not approve', false],
  ])(
    '[T6-7-3-approval] records the answer %s for the same call, and the model continues',
    async (option, approved) => {
      const { state, card, place, workflowRunId } = await orphan();
      expect(answerOrphanedApproval(state(), card, { ...place, option })).toEqual({
        ok: true,
        value: {
          facts: [
            {
              type: 'workflow-approval-answered',
              workflowRunId,
              turn: 3,
              approval: { action: 'Write the notes', tool: write, hash, approved },
            },
          ],
          line: 'Continue with what I answered.',
        },
      });
    },
  );

  it('[T6-7-3-approval] approves nothing for another run, without a run, or for no call', async () => {
    const { state, card, place, call, workflows, sessionId } = await orphan();
    const over = { error: { code: 'STATE', message: expect.stringContaining('is over') as string } };
    const answer = { ...place, option: 'Approve' };
    const { call: _call, ...noCall } = card;
    expect(answerOrphanedApproval(state(), noCall, answer)).toMatchObject(over);
    workflows.controller.cancel(sessionId);
    expect(answerOrphanedApproval(state(), card, answer)).toMatchObject(over);
    await call(startTool, { workflowId: 'create_ddr' }, user);
    expect(answerOrphanedApproval(state(), card, answer)).toMatchObject(over);
  });
});

it('the approval tool is always offered and needs an action', () => {
  const { tools } = createWorkflowSession([workflow]).workflows;
  expect(tools.find(({ name }) => name === approvalTool)).toMatchObject({
    isToolFullyExecutedOnServer: true,
    alwaysOffered: true,
    needsSession: true,
    schema: {
      type: 'object',
      properties: { action: { type: 'string' }, tool: { type: 'string' }, arguments: { type: 'object' } },
      required: ['action'],
      additionalProperties: false,
    },
  });
});
