import { appError } from '#shared/app-error';
import { isObject, parseJson, type JsonObject } from '#shared/json';
import { err, ok, type Result } from '#shared/result';
import { emptySession, type SessionState } from '#shared/session-state';
import type { BuiltInTool } from '../ports/built-in-tool';
import type { WorkflowRegistry } from './registry';
import { failingPreconditions, type PreconditionContext } from './conditions';
import type { RegistryView, UnmetPreconditions } from './registry-view';
import { mentionsId, namedInLastLine, type NamedByUser } from './named-by-user';

export const registryTool = 'agent_workflow_registry';

export interface RegistryToolDeps {
  readonly registry: WorkflowRegistry;
  readonly state: (sessionId: string) => SessionState | null;
  readonly preconditionContext: PreconditionContext;
}

interface RegistryQuery {
  readonly view: RegistryView;
  readonly named: NamedByUser;
  readonly unmet: UnmetPreconditions;
  readonly args: JsonObject;
}

const refuse = (message: string): Result<never> =>
  err(appError('TOOL', 'INVALID_ARGUMENTS', message, { tool: registryTool, layer: 'arguments' }));

/** A text argument that an operation requires. */
function needed({ args }: RegistryQuery, name: string, operation: string): Result<string> {
  const value = args[name];
  if (typeof value === 'string' && (value.trim() !== '' || name === 'userMessage')) return ok(value);
  if (value !== undefined && value !== null && typeof value !== 'string')
    return refuse(`${name} must be a text.`);
  return refuse(`${name} is missing: ${operation} needs it.`);
}

function manifest(query: RegistryQuery): Result<unknown> {
  const workflowId = needed(query, 'workflowId', 'get_workflow_manifest');
  if (!workflowId.ok) return workflowId;
  const found = query.view.manifest(workflowId.value, query.named);
  return found.ok ? ok({ workflow: found.value }) : found;
}

function matches(query: RegistryQuery): Result<unknown> {
  const message = needed(query, 'userMessage', 'match_workflow');
  return message.ok ? ok({ matches: query.view.match(message.value, query.named, query.unmet) }) : message;
}

const operations: ReadonlyMap<string, (query: RegistryQuery) => Result<unknown>> = new Map([
  ['list_workflows', ({ view }: RegistryQuery) => ok({ workflows: view.list() })],
  ['get_workflow_manifest', manifest],
  ['match_workflow', matches],
]);
const names = [...operations.keys()];
const argumentNames: readonly string[] = ['operation', 'workflowId', 'userMessage'];

type Operation = (query: RegistryQuery) => Result<unknown>;

function operationOf({ operation }: JsonObject): Result<Operation> {
  const there = `There are: ${names.join(', ')}.`;
  const requestedOperation = operation ?? '';
  const operationText =
    typeof requestedOperation === 'string' ? requestedOperation : JSON.stringify(requestedOperation);
  if (operationText.trim() === '') return refuse(`operation is missing. ${there}`);
  const run = operations.get(operationText);
  return run ? ok(run) : refuse(`Unknown operation ‘${operationText.slice(0, 100)}’. ${there}`);
}

function readArguments(argumentsJson: string): Result<JsonObject> {
  const parsed = parseJson(argumentsJson);
  if (!parsed.ok || !isObject(parsed.value)) return refuse('The arguments must be one JSON object.');
  const other = Object.keys(parsed.value).find((name) => !argumentNames.includes(name));
  return other === undefined
    ? ok(parsed.value)
    : refuse(`${other.slice(0, 100)} is not an argument. There are: ${argumentNames.join(', ')}.`);
}

/**
 * The registry tool for models (TUL-006 §5): one schema, three operations, and a specific message for every
 * refusal. Read-only: it runs nothing, calls nothing and writes no instructions.
 */
export function createRegistryTool({ registry, state, preconditionContext }: RegistryToolDeps): BuiltInTool {
  return {
    name: registryTool,
    isToolFullyExecutedOnServer: true,
    alwaysOffered: true,
    answersArguments: true,
    toolUsageMetadata:
      "This tool provides workflow metadata to the LLM, including workflow lists, workflow manifests, and intent-matching assistance. Call it when a task has several steps, when user input matches a workflow's patterns, when you are not sure which workflow applies, when the user asks what you can do or names a workflow, when a new task seems to begin before the one before it is done, or when you need clarification inside one. It returns JSON and starts nothing; agent_start_workflow does.",
    // The tool checks its own arguments, so that each refusal has a specific message.
    schema: {
      type: 'object',
      properties: {
        operation: { type: 'string', enum: names, description: 'What is asked.' },
        workflowId: { type: 'string', description: 'With get_workflow_manifest: the id of the workflow.' },
        userMessage: {
          type: 'string',
          description: 'With match_workflow: what the user said, word for word.',
        },
      },
      required: ['operation'],
      additionalProperties: false,
    },
    execute(argumentsJson, { sessionId }) {
      const session = sessionId === null ? null : state(sessionId);
      const read = readArguments(argumentsJson);
      if (!read.ok) return Promise.resolve(read);
      const run = operationOf(read.value);
      if (!run.ok) return Promise.resolve(run);
      const { userMessage } = read.value;
      // Without a session, the message in the arguments is the only line.
      const own = typeof userMessage === 'string' ? userMessage : '';
      const named = session ? namedInLastLine(session) : (id: string) => mentionsId(own, id);
      // Without a session, check preconditions against a new one, in which the workflow would start.
      const place = session ?? emptySession('');
      const answer = run.value({
        view: registry.view(session?.workflowPin ?? null),
        named,
        unmet: (definition) => failingPreconditions(preconditionContext, place, definition, null),
        args: read.value,
      });
      return Promise.resolve(answer.ok ? ok(JSON.stringify(answer.value)) : answer);
    },
  };
}
