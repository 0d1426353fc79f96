import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '#shared/json';
import { approveWorkflows, writeWorkflowPack } from '../../../testing/workflow-pack';
import { sampleWorkflow } from '../../../testing/sample-workflows';
import { must } from '../../../testing/stored-session';
import { createTypingUser } from '../../../testing/typing-user';
import { useWorkflowHarness } from '../../../testing/use-workflow-harness';
import { text, type WorkflowHarness } from '../../../testing/workflow-harness';
import {
  workflowCheckCommand,
  workflowDiffCommand,
  workflowNewCommand,
  workflowPublishCommand,
  workflowShowCommand,
  workflowTryCommand,
} from './workflow-file';
import { workflowStartCommand } from './workflow-start';

const open = useWorkflowHarness();
let harness: WorkflowHarness;
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'patina-definitions-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, content: object | string): string {
  const place = path.join(folder, name);
  writeFileSync(place, typeof content === 'string' ? content : JSON.stringify(content));
  return place;
}

/** Published in every harness here; unlike the guarded workflows, every check of a new version accepts it. */
const report = sampleWorkflow({
  WorkflowId: 'weekly_report',
  Title: 'Write the weekly report',
  UserIntentPatterns: ['Write the weekly report'],
  RequiredInputs: [{ name: 'file', question: 'Which file?', type: 'path', required: true, validation: {} }],
  InstructionText: '1. List the files with mcp://project.list_files.\n2. Write the report.',
  PermittedTools: ['mcp://project.list_files'],
  CompletionCriteria: [{ text: 'The user has the report.' }],
  Ddr: 'WFL-901',
});
const pattern = 'Note the decisions down';
const next = {
  ...report,
  Version: '1.1.0',
  UserIntentPatterns: [...report.UserIntentPatterns, pattern],
} as unknown as JsonObject;

const start = async (
  replies: Parameters<typeof open>[0] = [],
  hashes: Readonly<Record<string, string>> = {},
): Promise<WorkflowHarness> =>
  (harness = await open(replies, {
    prepareHome: (home) => {
      writeWorkflowPack(home, [report]);
      approveWorkflows(home, [report], hashes);
    },
  }));
const publishedNow = () => must(harness.app.authoring.panel.view('weekly_report')).published;

describe('a new definition', () => {
  it('[WF-file-check] is written once, and lacks only its design record', async () => {
    await start();
    const place = path.join(folder, 'triage_mail.json');
    expect(await workflowNewCommand(createTypingUser().terminal, 'triage_mail', { file: place })).toBe(0);
    const before = readFileSync(place, 'utf8');
    const again = createTypingUser();
    expect(await workflowNewCommand(again.terminal, 'triage_mail', { file: place })).toBe(1);
    expect(again.said()).toContain('already exists');
    expect(readFileSync(place, 'utf8')).toBe(before);

    const checking = createTypingUser();
    expect(await workflowCheckCommand(harness.app, checking.terminal, [place])).toBe(1);
    expect(checking.out().trim()).toBe(`${place}: Ddr is missing.`);

    const ready = file('ready.json', { ...(JSON.parse(before) as object), Ddr: 'WFL-901' });
    const valid = createTypingUser();
    expect(await workflowCheckCommand(harness.app, valid.terminal, [ready])).toBe(0);
    expect(valid.out()).toContain('The definition is valid.');
  });

  it('[WF-file-check] needs a valid workflow id', async () => {
    const person = createTypingUser();
    expect(await workflowNewCommand(person.terminal, '../Report', {})).toBe(1);
    expect(person.said()).toContain('‘../Report’ is not an id of a workflow.');
  });
});

describe('checking definitions', () => {
  it('[WF-file-check] reports each file, field and reason, and continues with the other files', async () => {
    await start();
    const files = [
      file('list.json', '[]'),
      file('broken.json', '{"WorkflowId":'),
      file('wrong.json', { ...next, PermittedTools: ['mcp://project.nothing'], Status: 'published' }),
      file('tool.json', { ...next, PermittedTools: ['mcp://project.list_files', 'mcp://project.nothing'] }),
      file('good.json', next),
      path.join(folder, 'absent.json'),
    ];
    const person = createTypingUser([], { json: true });
    expect(await workflowCheckCommand(harness.app, person.terminal, files)).toBe(1);
    const { files: rows } = JSON.parse(person.out()) as {
      files: { file: string; ok: boolean; errors?: { field: string; message: string }[] }[];
    };
    const problems = rows.map(({ errors = [] }) => errors[0] ?? null);
    expect(problems).toEqual([
      { field: '', message: expect.stringContaining('must hold one JSON object') as unknown },
      { field: '', message: expect.stringContaining('is not JSON') as unknown },
      { field: 'Status', message: expect.stringContaining('must be one of active') as unknown },
      { field: 'PermittedTools', message: expect.stringContaining('mcp://project.nothing') as unknown },
      null,
      { field: '', message: expect.stringContaining('cannot be read') as unknown },
    ]);
  });

  it('[WF-file-check] accepts a design record that does not exist yet, and stores nothing', async () => {
    await start();
    const person = createTypingUser();
    const place = file('later.json', {
      ...next,
      WorkflowId: 'another_one',
      UserIntentPatterns: ['Do another thing'],
      Ddr: 'WFL-777',
    });
    expect(await workflowCheckCommand(harness.app, person.terminal, [place])).toBe(0);
    expect(person.out()).toContain('Before publishing: Ddr: There is no design record WFL-777.');
    expect(harness.app.authoring.panel.view('another_one')).toMatchObject({ ok: false });
  });

  it('[WF-file-check] prints the published definition', async () => {
    await start();
    const shown = createTypingUser();
    expect(workflowShowCommand(harness.app, shown.terminal, 'weekly_report', {})).toBe(0);
    const place = file('shown.json', shown.out());
    const checked = createTypingUser();
    expect(await workflowCheckCommand(harness.app, checked.terminal, [place])).toBe(0);
    expect(checked.out()).toContain('it is the published one');
    const compared = createTypingUser();
    expect(await workflowDiffCommand(harness.app, compared.terminal, place)).toBe(0);
    expect(compared.out()).toBe('The same as the published version 1.0.0.\n');
    for (const [id, draft] of [
      ['weekly_report', true],
      ['nobody_wrote', false],
    ] as const)
      expect(workflowShowCommand(harness.app, createTypingUser().terminal, id, { draft })).toBe(1);
  });
});

describe('trying sentences', () => {
  it('[WF-file-try] matches as if the file were published, and starts nothing', async () => {
    await start();
    const place = file('next.json', next);
    const sentence = 'note the decisions down, please';
    const expecting = { expect: 'weekly_report' };
    expect(await workflowTryCommand(harness.app, createTypingUser().terminal, [sentence], expecting)).toBe(1);
    const person = createTypingUser();
    const tried = await workflowTryCommand(harness.app, person.terminal, [sentence], {
      file: place,
      ...expecting,
    });
    expect({ tried, out: person.out() }).toMatchObject({ tried: 0 });
    expect(person.out()).toContain('weekly_report');
    const none = { file: place, expect: 'none' };
    const talk = ['what is the weather like?'];
    expect(await workflowTryCommand(harness.app, createTypingUser().terminal, talk, none)).toBe(0);
    const wrong = createTypingUser();
    expect(await workflowTryCommand(harness.app, wrong.terminal, [sentence], none)).toBe(1);
    expect(wrong.out()).toContain(`✗ “${sentence}” must start none`);
    expect(harness.state().workflow).toBeNull();
  });
});

describe('publishing a definition from its file', () => {
  const reason = 'More ways to ask for it.';

  it('[WF-file-publish] shows the difference, publishes with the user’s yes, and records the reason', async () => {
    await start();
    const place = file('next.json', next);
    const no = createTypingUser(['n']);
    expect(await workflowPublishCommand(harness.app, no.terminal, place, { reason })).toBe(0);
    expect(no.out()).toContain('Nothing was published.');
    expect(must(harness.app.authoring.history('weekly_report')).at(-1)).toMatchObject({
      definition: { Version: '1.0.0' },
    });

    const yes = createTypingUser(['yes']);
    expect(await workflowPublishCommand(harness.app, yes.terminal, place, { reason })).toBe(0);
    expect(yes.said()).toContain('+   - Note the decisions down');
    expect(must(harness.app.authoring.history('weekly_report')).at(-1)).toMatchObject({
      what: 'published',
      definition: { Version: '1.1.0' },
      decision: { reason, ddr: 'WFL-901' },
    });
    expect(publishedNow()).toMatchObject({
      version: '1.1.0',
      halted: null,
    });
  });

  it('[WF-file-publish] never publishes without a person or --yes', async () => {
    await start();
    const place = file('next.json', next);
    for (const nobody of [
      createTypingUser([], { interactive: false }),
      createTypingUser(['yes'], { json: true }),
    ]) {
      expect(await workflowPublishCommand(harness.app, nobody.terminal, place, { reason })).toBe(2);
    }
    expect(publishedNow()).toMatchObject({
      version: '1.0.0',
    });
    const agreed = createTypingUser([], { interactive: false });
    expect(await workflowPublishCommand(harness.app, agreed.terminal, place, { reason, yes: true })).toBe(0);
    expect(publishedNow()).toMatchObject({
      version: '1.1.0',
    });
  });

  it('[WF-file-publish] is refused for too small a version step, an unapproved record, and a draft that would be lost', async () => {
    await start();
    const yes = { reason, yes: true };
    const publish = async (content: object) => {
      const person = createTypingUser();
      const code = await workflowPublishCommand(
        harness.app,
        person.terminal,
        file('next.json', content),
        yes,
      );
      return { code, said: person.out() };
    };
    const small = await publish({ ...next, Version: '1.0.1' });
    expect(small).toMatchObject({ code: 1 });
    expect(small.said).toContain('Version must be 1.1.0 or later');
    const unrecorded = await publish({ ...next, Ddr: 'WFL-777' });
    expect(unrecorded).toMatchObject({ code: 1 });
    expect(unrecorded.said).toContain('There is no design record WFL-777');

    await harness.app.authoring.panel.call({
      operation: 'update_workflow',
      workflowId: 'weekly_report',
      fields: { Notes: 'Somebody’s work.' },
    });
    const drafted = await publish(next);
    expect(drafted).toMatchObject({ code: 1 });
    expect(drafted.said).toContain('There is a draft of ‘weekly_report’.');
    expect(must(harness.app.authoring.file.draft('weekly_report'))).toMatchObject({
      Notes: 'Somebody’s work.',
    });
  });

  it('[WF-file-publish] keeps a workflow halted that was changed by hand after its approval', async () => {
    await start([], { weekly_report: '0'.repeat(64) });
    const person = createTypingUser([], { interactive: false });
    expect(
      await workflowStartCommand(harness.app, person.terminal, 'weekly_report', { input: ['file=a.md'] }),
    ).toBe(1);
    expect(person.said()).toContain('weekly_report');
  });
});

describe('starting a workflow from the command line', () => {
  it('[WF-cli-start] takes the inputs from the command, prints the first reply and says how to continue', async () => {
    await start([text('What shall it say?')]);
    const person = createTypingUser([], { interactive: false });
    const options = { session: harness.sessionId, input: ['file=mine.md'] };
    expect(await workflowStartCommand(harness.app, person.terminal, 'weekly_report', options)).toBe(0);
    expect(harness.state().workflow).toMatchObject({ startedBy: 'user', inputs: { file: 'mine.md' } });
    expect(person.out()).toContain('What shall it say?');
    expect(person.said()).toContain(`patina chat --session ${harness.sessionId}`);
    expect(person.said()).not.toContain('Which file?');
  });

  it('[WF-cli-start] asks again for an invalid input, and is cancelled when nobody answers', async () => {
    await start([text('What shall it say?')]);
    const person = createTypingUser(['right.md']);
    const options = { session: harness.sessionId, input: ['file=../out.md'] };
    expect(await workflowStartCommand(harness.app, person.terminal, 'weekly_report', options)).toBe(0);
    expect(harness.state().workflow).toMatchObject({ inputs: { file: 'right.md' } });

    const nobody = createTypingUser([], { json: true, interactive: false });
    expect(await workflowStartCommand(harness.app, nobody.terminal, 'weekly_report', { input: [] })).toBe(1);
    expect(JSON.parse(nobody.out())).toMatchObject({ workflowId: 'weekly_report', progress: 'cancelled' });
  });

  it('[WF-cli-start] returns a typed error for an unknown workflow, and creates no session', async () => {
    await start();
    const before = must(harness.app.log.ids()).length;
    const person = createTypingUser([], { json: true });
    expect(await workflowStartCommand(harness.app, person.terminal, 'nobody_wrote', { input: [] })).toBe(1);
    expect(JSON.parse(person.out())).toMatchObject({ kind: 'HOST', code: 'NOT_FOUND' });
    expect(must(harness.app.log.ids())).toHaveLength(before);
  });
});
