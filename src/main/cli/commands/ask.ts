import { noUsage, offlineProviderId, reportedUsage, type ModelRef } from '#shared/model';
import type { ModelParameters } from '#shared/model-parameters';
import { appError } from '#shared/app-error';
import { err, ok, type Result } from '#shared/result';
import type { WorkspaceOverride } from '#shared/workspace';
import type { ApprovePolicy } from '../../../core/ports/agent';
import type { SentLine } from '../../../core/session/turn-work';
import type { App } from '../../app';
import { attachFiles } from '../attach-files';
import { askQuestions, type QuestionParts } from '../ask-questions';
import { fail, failUsage, print, type ExitCode, type Terminal } from '../output';
import { modelNamed } from '../named-model';
import { nothingToSend, openNamedSession, type OpenParts } from '../open-session';
import { delayLine } from '../run-report';
import { runCommandLine } from '../route-line';
import { overrideFrom, type OverrideOptions } from '../workspace-override';

export interface AskOptions extends OverrideOptions {
  readonly session?: string;
  /** Offers the servers' tools for this one call. */
  readonly tools?: boolean;
  /** How calls that change something are approved. */
  readonly approve?: ApprovePolicy;
  /** The turn that the line follows, instead of the head of the session. */
  readonly parent?: number;
  /** Files and folders that go with the line. */
  readonly attach?: readonly string[];
  /** Attaches files that look like secrets. */
  readonly attachSecrets?: boolean;
  readonly model?: string;
  readonly effort?: 'low' | 'medium' | 'high';
  readonly temperature?: number;
  readonly maxTokens?: number;
  readonly stop?: readonly string[];
  /** Regenerates the answer of this turn; there is no text then. */
  readonly regenerate?: number;
}

const stopped = appError('HOST', 'CANCELLED', 'The reply was stopped.');

/** The model that answers. The offline provider never silently replaces a configured provider that fails. */
async function modelOf(
  app: Pick<App, 'chosenModel' | 'models'>,
  { model: name, session }: Pick<AskOptions, 'model' | 'session'>,
): Promise<Result<ModelRef>> {
  const model = await modelNamed(app, name, session);
  if (!model.ok) return model;
  const offline = model.value.providerId === offlineProviderId && name === undefined;
  const problem = offline ? app.models.setupProblem() : null;
  return problem ? err(problem) : model;
}

/** The parameters for this line alone; undefined when none is given. */
function parametersOf({ effort, temperature, maxTokens, stop }: AskOptions): ModelParameters | undefined {
  const parameters: ModelParameters = {
    ...(effort && { effort }),
    ...(temperature !== undefined && { temperature }),
    ...(maxTokens !== undefined && { maxOutputTokens: maxTokens }),
    ...(stop && { stop: [...stop] }),
  };
  return Object.keys(parameters).length > 0 ? parameters : undefined;
}

interface LineTarget {
  readonly sessionId: string;
  readonly model: ModelRef;
  readonly workspace?: WorkspaceOverride;
  readonly tools?: boolean;
  readonly parameters?: ModelParameters;
}

/** The session of a line, its model, and the line's overrides of the session's workspace. */
async function resolveTarget(
  app: OpenParts & Pick<App, 'chosenModel' | 'models' | 'workspace'>,
  terminal: Pick<Terminal, 'log'>,
  options: AskOptions,
): Promise<Result<LineTarget>> {
  const workspace = overrideFrom(app, options);
  if (!workspace.ok) return workspace;
  const model = await modelOf(app, options);
  if (!model.ok) return model;
  const session = openNamedSession(app, terminal, options.session);
  if (!session.ok) return session;
  const { tools } = options;
  const parameters = parametersOf(options);
  const chosen = {
    ...(workspace.value && { workspace: workspace.value }),
    ...(tools && { tools }),
    ...(parameters && { parameters }),
  };
  return ok({ sessionId: session.value.id, model: model.value, ...chosen });
}

/**
 * `patina ask TEXT`: sends one line to the model and prints `{sessionId, text, reasoning?, usage}`. For people, the
 * reply streams.
 */
export async function askCommand(
  app: QuestionParts &
    Pick<
      App,
      | 'attach'
      | 'chosenModel'
      | 'conversation'
      | 'models'
      | 'onReplyDelta'
      | 'plane'
      | 'project'
      | 'sessionScans'
      | 'workspace'
    >,
  terminal: Terminal,
  text: string | undefined,
  options: AskOptions,
): Promise<ExitCode> {
  const { session, parent, regenerate } = options;
  if (regenerate === undefined && !text?.trim()) return failUsage(terminal, nothingToSend);
  const items = await attachFiles(app, options);
  if (!items.ok) return fail(terminal, items.error);
  const place = await resolveTarget(app, terminal, options);
  if (!place.ok) return fail(terminal, place.error);
  const { sessionId, model, ...chosen } = place.value;
  const line = {
    sessionId,
    text: text ?? '',
    runMode: 'ask' as const,
    model,
    ...(items.value.length > 0 && { items: items.value }),
    ...(parent !== undefined && { parent }),
  };
  if (session !== undefined && regenerate === undefined) {
    const code = await runCommandLine(app, terminal, line);
    if (code !== null) return code;
  }
  return followReply(app, terminal, { sessionId, approve: options.approve }, () =>
    regenerate === undefined
      ? app.conversation.send({ ...line, ...chosen })
      : app.conversation.regenerate({ sessionId, turn: regenerate, runMode: 'ask', model, ...chosen }),
  );
}

/** Sends a line, streams its reply to people and prints its outcome. */
async function followReply(
  app: QuestionParts & Pick<App, 'conversation' | 'onReplyDelta'>,
  terminal: Terminal,
  { sessionId, approve }: { readonly sessionId: string; readonly approve: ApprovePolicy | undefined },
  send: () => Result<SentLine>,
): Promise<ExitCode> {
  const unsubscribe = terminal.json
    ? () => undefined
    : app.onReplyDelta(
        (delta) => delta.sessionId === sessionId && !delta.thinking && terminal.out(delta.text),
      );
  const stopTelling = app.log.subscribe((events, id) => {
    if (id !== sessionId) return;
    for (const event of events) if (event.type === 'reply-delayed') terminal.log(delayLine(event));
  });
  const stopAsking = askQuestions(app, terminal, sessionId, approve);
  const sent = send();
  if (!sent.ok) return fail(terminal, sent.error);
  const { turn, done } = sent.value;
  const removeInterrupt = terminal.onInterrupt(() => app.conversation.stop(sessionId, turn));
  const report = await done;
  removeInterrupt();
  unsubscribe();
  stopTelling();
  stopAsking();
  if (!report || report.runMode !== 'ask') return fail(terminal, stopped);
  const { reply } = report;
  if (reply.error) return fail(terminal, reply.error);
  if (reply.outcome !== 'done') return fail(terminal, stopped);
  const reasoning = reply.thinking === undefined ? {} : { reasoning: reply.thinking };
  const usage = reportedUsage(reply.usage ?? noUsage);
  print(terminal, { sessionId, text: reply.text, ...reasoning, usage }, () => '');
  return 0;
}
