import { describe, expect, it } from 'vitest';
import { ok } from '#shared/result';
import { createManualClock } from '../../testing/manual-clock';
import type { BuiltInTool, BuiltInToolContext } from '../ports/built-in-tool';
import { canonicalHash } from './canonical-hash';
import { builtInScope } from './call-scope';
import { createToolCalls, writtenCall } from './call-tool';
import type { RecordedApprovals } from './gate';
import { createSchemaCheck } from './schema-check';

const args = { operation: 'publish' };
const call = writtenCall('agent_sample', JSON.stringify(args));
const hash = canonicalHash({ tool: call.tool, arguments: args });

/** Calls a tool whose every call needs a recorded approval; `isApproved` says whether one exists. */
async function callOnce(tool: Partial<BuiltInTool>, isApproved: boolean) {
  const approvals: BuiltInToolContext['approve'][] = [];
  const used: string[] = [];
  const sample: BuiltInTool = {
    name: call.tool,
    isToolFullyExecutedOnServer: true,
    toolUsageMetadata: 'A sample.',
    schema: { type: 'object' },
    execute: (_text, { approve }) => {
      approvals.push(approve);
      return Promise.resolve(ok('{}'));
    },
    ...tool,
  };
  const calls = createToolCalls({
    clock: createManualClock().clock,
    ids: { next: (kind) => `${kind}-1` },
    checkSchema: createSchemaCheck(),
    servers: () => Promise.reject(new Error('No server is needed.')),
  });
  calls.add([sample]);
  const recorded: RecordedApprovals = {
    needed: () => true,
    isApproved: (requested) => isApproved && requested === hash,
    use: (requested) => used.push(requested) > 0,
  };
  const scope = builtInScope({ sessionId: 's', turn: 0, lists: {}, recorded });
  const { result } = await calls.callTool(scope, call, new AbortController().signal);
  return { result, approvals, used };
}

describe('an approval that was recorded before a built-in tool’s call', () => {
  it('[T6-7-3-approval] is required and used up, and the tool does not ask again', async () => {
    expect(await callOnce({}, false)).toMatchObject({
      result: { ok: false, error: { layer: 'approval' } },
      approvals: [],
    });
    expect(await callOnce({}, true)).toMatchObject({
      result: { ok: true },
      approvals: ['all'],
      used: [hash],
    });
  });

  it('[T6-7-3-asked-once] is neither required nor used where the tool itself shows the change and asks', async () => {
    for (const isApproved of [false, true]) {
      expect(await callOnce({ asksItself: true }, isApproved)).toMatchObject({
        result: { ok: true },
        approvals: ['ask'],
        used: [],
      });
    }
  });
});
