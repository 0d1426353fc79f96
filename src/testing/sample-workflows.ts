import type { Ddr } from '#shared/ddr';
import { WorkflowDefinition } from '#shared/workflow';
import type { WorkflowRun } from '#shared/workflow-state';
import { canonicalHash } from '../core/tools/canonical-hash';

/** A complete workflow; `fields` overrides parts of it. */
export function sampleWorkflow(fields: Partial<WorkflowDefinition> = {}): WorkflowDefinition {
  return WorkflowDefinition.parse({
    WorkflowId: 'create_ddr',
    Title: 'Create a new DDR',
    Description: 'Writes a design record with the user, chapter by chapter.',
    UserIntentPatterns: ['Create a new DDR', 'Write down a design decision'],
    RequiredInputs: [],
    InstructionText: '1. Ask what it is about.\n2. Create it.',
    PermittedTools: ['agent_ddr_manager'],
    CompletionCriteria: [{ text: 'The user is content with it.' }],
    Version: '1.0.0',
    Status: 'active',
    Visibility: 'public',
    Ddr: 'WFL-001',
    ...fields,
  });
}

/** An approved design record for these definitions as they are. */
export function approvingDdr(definitions: readonly WorkflowDefinition[], more: Partial<Ddr> = {}): Ddr {
  return {
    id: 'WFL-001',
    tla: 'WFL',
    title: 'Workflows',
    summary: '',
    aliases: [],
    status: 'approved',
    approval: { by: 'Ada', at: '2026-01-02T10:11:12+01:00' },
    goalStatus: 'none',
    chapterCount: 0,
    approvedChapterCount: 0,
    origin: 'home',
    goal: null,
    chapters: [],
    markdown: '',
    workflows: Object.fromEntries(definitions.map((one) => [one.WorkflowId, canonicalHash(one)])),
    changedSinceApproval: false,
    ...more,
  };
}

/** A running workflow whose inputs are given and that has made no call yet; `fields` overrides parts of it. */
export function sampleRun(fields: Partial<WorkflowRun> = {}): WorkflowRun {
  return {
    workflowRunId: 'wfr_1',
    definition: sampleWorkflow(),
    hash: 'h',
    startedAt: 0,
    startedBy: 'user',
    turn: 0,
    proposed: {},
    inputs: {},
    steps: [],
    stepCount: 0,
    approvals: [],
    halted: null,
    ...fields,
  };
}
