import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '#shared/json';
import type { SessionEvent } from '#shared/session-event';
import type { WorkflowErrorKind } from '#shared/workflow-event';
import { guardedWorkflows } from './guarded-workflows';
import { startMain, type MainHarness, type MainHarnessOptions } from './main-harness';
import { must } from './stored-session';
import { writeWorkflowPack } from './workflow-pack';

/**
 * The user at the window: the option for each card by a part of its text (else the first), and the form's
 * answers.
 */
export interface Attendance {
  readonly clicks?: Readonly<Record<string, string>>;
  /** null: leaves the form alone. */
  readonly inputs?: JsonObject | null;
}

/** Main with the guarded workflows published and approved, over its own project folder. */
export interface WorkflowHarness extends MainHarness {
  readonly project: string;
  /** Clicks every card as it opens, and fills in the form. */
  readonly attend: (attendance?: Attendance) => void;
  /** The workflow's errors, in order. */
  readonly errors: () => readonly WorkflowErrorKind[];
  readonly systemOf: (chat: number) => string;
  readonly offeredIn: (chat: number) => readonly string[];
  /** The last message of this model request, such as a tool result. */
  readonly toldIn: (chat: number) => string;
}

interface Body {
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
}

/** Clicks every card of a session as it opens, and fills in its forms. */
export function attendTo({ app }: MainHarness, attendance: Attendance): void {
  const onEvents = (event: SessionEvent): void => {
    const { clicks = {}, inputs = { file: 'notes.md' } } = attendance;
    if (event.type === 'question-asked') {
      const { questionId, text: asked, options } = event.question;
      const option = Object.entries(clicks).find(([part]) => asked.includes(part))?.[1] ?? options[0] ?? '';
      const place = { sessionId: event.sessionId, turn: event.turn, questionId, option };
      queueMicrotask(() => void app.lines.answer(place));
    }
    if (event.type === 'workflow-started' && event.definition.RequiredInputs.length > 0 && inputs) {
      queueMicrotask(() => must(app.workflowController.giveInputs(event.sessionId, { ...inputs })));
    }
  };
  app.log.subscribe((events) => events.forEach(onEvents));
}

export async function startWorkflowHarness(
  replies: MainHarnessOptions['replies'],
  projectServer: string,
  {
    prepareHome = (home) => writeWorkflowPack(home, guardedWorkflows),
  }: Pick<MainHarnessOptions, 'prepareHome'> = {},
): Promise<WorkflowHarness> {
  const folder = mkdtempSync(join(tmpdir(), 'patina-wf-'));
  const project = join(folder, 'project');
  mkdirSync(project);
  const harness = await startMain({ ...(replies && { replies }), project, projectServer, prepareHome });
  const bodyOf = (chat: number): Body => harness.model.chats()[chat]?.json as unknown as Body;
  return {
    ...harness,
    project,
    attend: (attendance = {}) => attendTo(harness, attendance),
    errors: () =>
      must(harness.app.log.events(harness.sessionId)).flatMap((event) =>
        event.type === 'workflow-error-raised' ? [event.kind] : [],
      ),
    systemOf: (chat) => bodyOf(chat).messages[0]?.content ?? '',
    offeredIn: (chat) => bodyOf(chat).tools?.map((tool) => tool.function.name) ?? [],
    toldIn: (chat) => bodyOf(chat).messages.at(-1)?.content ?? '',
    async close() {
      await harness.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A model reply that calls one tool. */
export const calls = (name: string, args: unknown) => ({ toolCalls: [{ id: 'c1', name, arguments: args }] });
export const text = (words: string) => ({ text: words });

const note = { path: 'notes.md', content: 'Hello.\n' };

/**
 * A model's replies in the workflow that writes notes: the start, the question whether it may write, and the
 * write.
 */
export const notes = {
  begin: calls('agent_start_workflow', { workflowId: 'write_notes', reason: 'You asked for notes.' }),
  ask: calls('request_user_approval', {
    action: 'Write notes.md',
    tool: 'filesystem__write_file',
    arguments: note,
  }),
  write: calls('filesystem__write_file', note),
  writeOther: calls('filesystem__write_file', { ...note, content: 'Other.\n' }),
};
