import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { startMain, type MainHarness } from '../../testing/main-harness';
import { contextOf } from '../../testing/ddr-harness';
import { builtInScope } from '../../core/tools/call-scope';
import { writtenCall } from '../../core/tools/call-tool';

let harness: MainHarness;
afterEach(() => harness.close());

const name = 'agent_workflow_authoring';
const workflowId = 'author_workflow';
const user = contextOf('user');

describe('authoring in the whole core', () => {
  it('[T6-10-1-mode] is offered in workflow_authoring mode only, and refused by the gate elsewhere', async () => {
    harness = await startMain();
    const { app } = harness;
    const offering = app.modes.modes
      .map(({ key }) => key)
      .filter((key) =>
        app.toolCalls
          .offered({ modeTools: app.modes.getToolsForMode(key) })
          .some((tool) => tool.name === name),
      );
    expect(offering).toEqual(['workflow_authoring']);
    const call = writtenCall(name, '{"operation":"list_authoring_workflows"}');
    const asked = (mode: string) =>
      app.toolCalls.callTool(
        builtInScope({ sessionId: null, turn: null, lists: { modeTools: app.modes.getToolsForMode(mode) } }),
        call,
        user.signal,
      );
    expect((await asked('general')).result).toMatchObject({
      error: { kind: 'POLICY', code: 'CAPABILITY_DENIED', layer: 'mode' },
    });
    const { result } = await asked('workflow_authoring');
    expect(result.ok && result.value).toContain('"workflowId":"create_ddr"');
  });

  it('[T6-10-2-publish] [T6-8-2-approval] publishes a new version of a seed workflow, and its record contains the hash', async () => {
    harness = await startMain();
    const { app, home } = harness;
    const before = app.workflows.view(null).find(workflowId);
    const fields = { Notes: 'Said anew.', Version: '1.0.1' };
    expect(
      await app.authoring.call({ operation: 'update_workflow', workflowId, fields }, user),
    ).toMatchObject({
      ok: true,
    });
    expect(app.workflows.view(null).find(workflowId)?.hash).toBe(before?.hash);
    expect(await app.authoring.call({ operation: 'publish_workflow', workflowId }, user)).toMatchObject({
      ok: true,
    });
    const after = app.workflows.view(null).find(workflowId);
    expect(after).toMatchObject({
      definition: { Notes: 'Said anew.', Version: '1.0.1' },
      layer: { kind: 'home' },
      approval: { kind: 'approved' },
    });
    expect(readFileSync(join(home, 'ddrs/WFL-003.md'), 'utf8')).toContain(after?.hash ?? 'no hash');
    expect(existsSync(join(home, 'workflows/drafts', `${workflowId}.json`))).toBe(false);
    // An earlier session keeps the versions that it started with.
    const pin = harness.state().workflowPin;
    expect(app.workflows.view(pin).find(workflowId)?.hash).toBe(before?.hash);
  });
});
