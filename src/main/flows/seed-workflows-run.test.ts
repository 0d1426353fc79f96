import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '#shared/json';
import { buildEntry } from '../../testing/build-entry';
import { startMain, type MainHarness } from '../../testing/main-harness';
import { must } from '../../testing/stored-session';
import { createTempRepository, type TempRepository } from '../../testing/temp-repository';
import { attendTo, calls, text } from '../../testing/workflow-harness';

let projectServer: string;
let repository: TempRepository;
let harness: MainHarness;
/** The user's next input in the window. */
let user: { inputs: JsonObject | null };

beforeAll(async () => {
  projectServer = await buildEntry('project-server/index.ts');
}, 60_000);
beforeEach(async () => {
  repository = createTempRepository({ 'src/a.ts': '// TODO: tidy\nexport const a = 1;\n' });
  repository.commit('feat: one thing');
  repository.git('tag', 'v1.0');
  repository.write({ 'src/a.ts': '// TODO: tidy\nexport const a = 2;\n' });
  harness = await startMain({ project: repository.root, projectServer });
  user = { inputs: null };
  attendTo(harness, user);
});
afterEach(async () => {
  await harness.close();
  repository.remove();
});

const start = (workflowId: string) => calls('agent_start_workflow', { workflowId });
const complete = calls('agent_complete_workflow', { summary: 'Done.' });
const ddr = (operation: string, payload: JsonObject = {}) => ({ operation, payload });
const ddrCall = (operation: string, payload: JsonObject = {}) =>
  calls('agent_ddr_manager', ddr(operation, payload));
const approveDdr = (operation: string, payload: JsonObject) =>
  calls('request_user_approval', {
    action: `${operation} as shown`,
    tool: 'agent_ddr_manager',
    arguments: ddr(operation, payload),
  });

/** Runs a workflow to completion: the line, the user's answers, and the model's actions. */
async function carryOut(
  workflowId: string,
  line: string,
  inputs: JsonObject | null,
  steps: readonly ReturnType<typeof calls>[],
) {
  user.inputs = inputs;
  harness.model.add(start(workflowId), ...steps, complete, text('That is all.'));
  const turn = await harness.say(line);
  const raised = must(harness.app.log.events(harness.sessionId)).flatMap((event) =>
    event.type === 'workflow-error-raised' ? [event.message] : [],
  );
  expect(raised).toEqual([]);
  expect(turn.reply).toMatchObject({ status: 'done', text: 'That is all.' });
  expect(harness.state()).toMatchObject({ workflow: null });
  expect(harness.state().completedWorkflows).toContain(workflowId);
  return turn;
}

/** The texts of the cards shown, except the one that starts a workflow. */
const asked = (turn: Awaited<ReturnType<typeof carryOut>>) => turn.questions?.map((one) => one.text) ?? [];

describe('the bundled workflows, from the first line to the last', () => {
  it('[T6-seed-create] [T6-seed-refine] a design record is created, then refined and approved, each change approved once', async () => {
    await harness.say('/mode ddr_authoring');
    const created = { tla: 'TUL', title: 'How tools are called', summary: 'The contract.' };
    const goal = { id: 'TUL-001', goal: 'Say how tools are called.' };
    await carryOut(
      'create_ddr',
      'create a new DDR',
      { family: 'TUL', title: created.title, goal: goal.goal },
      [
        ddrCall('get_tla_catalog'),
        ddrCall('list_ddrs'),
        approveDdr('create_ddr', created),
        ddrCall('create_ddr', created),
        approveDdr('set_goal', goal),
        ddrCall('set_goal', goal),
        ddrCall('add_chapters', { id: 'TUL-001', chapters: [{ title: 'Purpose', summary: 'Why.' }] }),
      ],
    );
    const reworded = { id: 'TUL-001', chapterId: 'C1', summary: 'Why, and for whom.' };
    const turn = await carryOut('refine_ddr', 'refine the DDR', { ddr: 'TUL-001', wish: 'Approve it.' }, [
      ddrCall('get_ddr', { id: 'TUL-001' }),
      approveDdr('update_chapter_summary', reworded),
      ddrCall('update_chapter_summary', reworded),
      ddrCall('approve_goal', { id: 'TUL-001' }),
      ddrCall('approve_chapter', { id: 'TUL-001', chapterId: 'C1' }),
      ddrCall('approve_ddr', { id: 'TUL-001' }),
    ]);
    expect(asked(turn)).toHaveLength(6);
    const file = readFileSync(join(harness.home, 'ddrs/TUL-001.md'), 'utf8');
    expect(file).toContain('status: approved');
    expect(file).toContain('Why, and for whom.');
  });

  it('[T6-seed-author] a workflow is drafted, validated and published after one look at the difference', async () => {
    await harness.say('/mode workflow_authoring');
    const workflowId = 'tell_time';
    const author = (operation: string, more: object = {}) =>
      calls('agent_workflow_authoring', { operation, workflowId, ...more });
    const turn = await carryOut(
      'author_workflow',
      'author a workflow',
      { workflow_id: workflowId, purpose: 'Tells the user how to find the time.' },
      [
        calls('agent_workflow_registry', {
          operation: 'match_workflow',
          userMessage: 'how to find the time',
        }),
        author('draft_workflow', { title: 'Tell the time', description: 'Says how to find the time.' }),
        author('update_workflow', {
          fields: {
            UserIntentPatterns: ['Explain finding the time'],
            InstructionText: 'Say: look at a clock.',
            CompletionCriteria: [{ text: 'The user knows.' }],
            Ddr: 'WFL-003',
          },
        }),
        author('validate_workflow'),
        author('publish_workflow'),
      ],
    );
    expect(asked(turn).filter((one) => one.startsWith('Publish ‘tell_time’'))).toHaveLength(1);
    expect(harness.app.workflows.view(null).find(workflowId)).toMatchObject({
      approval: { kind: 'approved' },
    });
  });

  it('[T6-seed-review] the working tree is reviewed without a question, because the workflow only reads', async () => {
    const turn = await carryOut('review_changes', 'review my changes', {}, [
      calls('project__git_status', {}),
      calls('project__git_diff', {}),
    ]);
    expect(asked(turn)).toEqual([]);
    const told = harness.model.chats().at(-2)?.text ?? '';
    expect(told).toContain('export const a = 2;');
  });

  it('[T6-seed-notes] release notes are generated from the history and written once approved', async () => {
    repository.commit('fix: the second thing');
    const file = { path: 'NOTES.md', content: '## Fixed\n\n- The second thing.\n' };
    await carryOut(
      'release_notes',
      'write the release notes',
      { since: 'v1.0', readers: 'users', file: 'NOTES.md' },
      [
        calls('project__git_log', { from: 'v1.0' }),
        calls('request_user_approval', {
          action: 'Write NOTES.md',
          tool: 'mcp://filesystem.write_file',
          arguments: file,
        }),
        calls('filesystem__write_file', file),
      ],
    );
    expect(harness.model.chats()[2]?.text).toContain('fix: the second thing');
    expect(readFileSync(join(repository.root, 'NOTES.md'), 'utf8')).toBe(file.content);
  });

  it('[T6-seed-triage] [T6-7-8-experimental-asks] TODOs are listed with their owners, after the experimental workflow was confirmed', async () => {
    const turn = await carryOut('triage_todos', 'triage the todos in src', { folder: 'src' }, [
      calls('project__search_text', { path: 'src', query: 'TODO' }),
      calls('project__git_blame', { path: 'src/a.ts', from: 1, to: 1 }),
    ]);
    expect(asked(turn)[0]).toContain('Start the workflow');
    expect(turn.questions?.[0]?.detail).toContain('is experimental');
    expect(harness.model.chats()[3]?.text).toContain('Ada Lovelace');
  });

  it('[T6-seed-diagnose] the hidden diagnosis runs once the user writes its id, and writes nothing', async () => {
    const steps = [
      calls('agent_list_modes', {}),
      calls('agent_workflow_registry', { operation: 'list_workflows' }),
      calls('project__list_files', { limit: 5 }),
      calls('project__git_status', {}),
    ];
    await carryOut('diagnose_host', 'please run diagnose_host for me', null, steps);
    expect(harness.model.chats()[0]?.text).not.toContain('diagnose_host –');
    expect(existsSync(join(repository.root, 'NOTES.md'))).toBe(false);
  });
});
