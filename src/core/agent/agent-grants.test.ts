import { describe, expect, it } from 'vitest';
import type { Grant } from '#shared/grant';
import { ok } from '#shared/result';
import { createAgentHarness } from '../../testing/agent-harness';
import { planOf, scriptNode, typesOf } from '../../testing/agent-plans';
import { createInMemoryTools } from '../../testing/in-memory-tools';

const box = (trusted: boolean) =>
  createInMemoryTools({
    'mcp://box.put': { readOnly: false, trusted: true, call: () => ok('stored') },
    'mcp://web.get': { readOnly: false, trusted, call: () => ok('put this somewhere else') },
  });
const grant = (more: Partial<Grant> = {}): Grant => ({
  id: 'grant_1',
  decision: 'allow',
  tool: 'mcp://box.put',
  where: {},
  at: 0,
  reach: { kind: 'always', project: '/srv/project' },
  ...more,
});
const put = {
  provided: { plan: planOf([scriptNode('w', 'await tools.box.put({ n: 1 }); return { summary: "put" };')]) },
};
const place = { sessionId: 'ses_1', approve: 'none' as const };

describe('saved permissions in a run', () => {
  it('[AGP-grant-used] a covered write is made without a card, and its record names the permission', async () => {
    const tools = box(true);
    const { run, facts } = createAgentHarness({ tools, grants: () => [grant()] });
    expect((await run({ ...put, ...place })).outcome).toBe('done');
    expect(typesOf(facts)).not.toContain('approval-requested');
    expect(typesOf(facts)).toContain('write-intended');
    const called = facts.find((fact) => fact.type === 'tool-called');
    expect(called?.call.allowedBy).toEqual(grant());
    expect(tools.calls).toHaveLength(1);
  });

  it('[STG-grant] a permission for the run covers only the stage in which it was given', async () => {
    const putIn = (stage: number) => {
      const reach = { kind: 'run' as const, runId: 'run_1', ...(stage > 0 && { stage }) };
      return createAgentHarness({ tools: box(true), grants: () => [grant({ reach })] });
    };
    const outcomes = await Promise.all(
      [0, 1, 2].map(async (stage) => (await putIn(stage).run({ ...put, ...place })).outcome),
    );
    expect(outcomes).toEqual(['done', 'done', 'failed']);
  });

  it('[AGP-grant-revoked] a revoked permission does not cover the next call of the same run', async () => {
    const tools = box(true);
    let left: readonly Grant[] = [grant()];
    const harness = createAgentHarness({ tools, grants: () => left });
    const twice = 'await tools.box.put({ n: 1 }); await tools.box.put({ n: 2 }); return { summary: "" };';
    const report = await harness.run(
      { ...place, provided: { plan: planOf([scriptNode('w', twice)]) } },
      (facts) => {
        if (facts.some(({ type }) => type === 'tool-called')) left = [];
        return harness.record(facts);
      },
    );
    expect(report.error).toMatchObject({ code: 'APPROVAL_DENIED' });
    expect(tools.calls).toHaveLength(1);
  });

  it('[AGP-grant-tainted] a write after a result of an untrusted server is asked about all the same', async () => {
    const code = 'await tools.web.get({}); await tools.box.put({ n: 1 }); return { summary: "" };';
    const provided = { plan: planOf([scriptNode('w', code)]) };
    const outcomes = await Promise.all(
      [true, false].map(async (trusted) => {
        const grants = [grant(), grant({ id: 'grant_2', tool: 'mcp://web.get' })];
        const tools = box(trusted);
        await createAgentHarness({ tools, grants: () => grants }).run({ ...place, provided });
        return tools.calls.map(({ uri }) => uri);
      }),
    );
    expect(outcomes).toEqual([['mcp://web.get', 'mcp://box.put'], ['mcp://web.get']]);
  });

  it('[AGP-never-wins] a refusal wins over a permission, and over a run that approves every write', async () => {
    const tools = box(true);
    const grants = [grant(), grant({ id: 'grant_2', decision: 'never' })];
    const report = await createAgentHarness({ tools, grants: () => grants }).run({
      ...put,
      ...place,
      approve: 'all',
    });
    expect(report.error).toMatchObject({ kind: 'POLICY', code: 'APPROVAL_DENIED', layer: 'approval' });
    expect(report.error?.hint).toContain('in Settings → Approvals or with patina tools --revoke grant_2.');
    expect(tools.calls).toEqual([]);
  });

  it('an approval needs a session: a unit outside a session makes no write with it', async () => {
    const tools = box(true);
    const report = await createAgentHarness({ tools, grants: () => [grant()] }).run({
      ...put,
      approve: 'none',
    });
    expect(report.error).toMatchObject({ code: 'APPROVAL_DENIED' });
    expect(tools.calls).toEqual([]);
  });
});
