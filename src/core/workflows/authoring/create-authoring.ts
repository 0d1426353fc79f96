import { isObject, parseJson, type Json, type JsonObject } from '#shared/json';
import { err, ok, type Result } from '#shared/result';
import {
  authoringOperations,
  type AuthoringAnswer,
  type AuthoringOperation,
  type FieldError,
} from '#shared/workflow-authoring';
import type { BuiltInTool, BuiltInToolContext } from '../../ports/built-in-tool';
import { compareDefinitionFile } from './authored-view';
import { createAuthoringPanel, type AuthoringPanel } from './authoring-panel';
import { fieldsOf } from '../../control-plane/check-texts';
import {
  findRecord,
  refused,
  type AuthoringArguments,
  type AuthoringDeps,
  type AuthoringContext,
} from './authoring-context';
import { fieldShapes, updatableFields } from './definition-fields';
import { draftWorkflow, getWorkflow, listWorkflows, updateWorkflow } from './draft-operations';
import {
  checkDefinitionFile,
  publishDefinitionFile,
  publishWorkflow,
  validateWorkflow,
} from './publish-operations';
import { removeWorkflow, type Removal } from './remove-workflow';

export const authoringTool = 'agent_workflow_authoring';

/** Workflow authoring: the tool, and the window's own access to the same operations. */
export type Authoring = ReturnType<typeof createAuthoring>;

type Operation = (
  authoring: AuthoringContext,
  args: AuthoringArguments,
) => AuthoringAnswer | Promise<AuthoringAnswer>;

const operations: Readonly<Record<AuthoringOperation, Operation>> = {
  draft_workflow: draftWorkflow,
  get_workflow: getWorkflow,
  update_workflow: updateWorkflow,
  validate_workflow: validateWorkflow,
  publish_workflow: publishWorkflow,
  list_authoring_workflows: listWorkflows,
};

const there = `There are: ${authoringOperations.join(', ')}.`;

const usage = [
  'Writes workflow definitions, always under the direction of the user. Ask before you draft a workflow, and confirm changes before you make them.',
  'Every answer is {ok: true, workflow?, workflows?, messages?} or {ok: false, errors: [{field, message}]}. Errors are authoritative: fix them with the user.',
  'draft_workflow {workflowId, title, description} begins a draft; update_workflow {workflowId, fields} changes it; validate_workflow finds what is missing; publish_workflow asks the user to approve the difference.',
  `fields of update_workflow: ${updatableFields.join(', ')}.`,
].join('\n');

const schema = {
  type: 'object',
  properties: {
    operation: { type: 'string', enum: authoringOperations, description: 'What is to be done.' },
    workflowId: { type: 'string', description: 'With every operation but list_authoring_workflows.' },
    title: { type: 'string', description: 'With draft_workflow.' },
    description: { type: 'string', description: 'With draft_workflow.' },
    reason: { type: 'string', description: 'With publish_workflow: why, in one sentence for the history.' },
    fields: {
      type: 'object',
      description: 'With update_workflow: the fields to change; null takes an optional one away.',
      properties: fieldShapes,
    },
  },
  required: ['operation'],
  additionalProperties: false,
};

const argumentNames = Object.keys(schema.properties);
const texts = ['workflowId', 'title', 'description', 'reason'] as const;

/** Parses the arguments for an operation, or reports the invalid ones. */
function readArguments(call: JsonObject): Result<AuthoringArguments, readonly FieldError[]> {
  const errors: FieldError[] = [];
  const args: Partial<Record<(typeof texts)[number], string>> & { fields?: JsonObject } = {};
  for (const name of texts) {
    const value = call[name];
    if (typeof value === 'string') args[name] = value;
    else if (value !== undefined) errors.push({ field: name, message: `${name} must be a text.` });
  }
  for (const name of Object.keys(call)) {
    if (argumentNames.includes(name)) continue;
    const field = name.slice(0, 100);
    errors.push({ field, message: `${field} is not an argument. There are: ${argumentNames.join(', ')}.` });
  }
  const { fields } = call;
  if (fields !== undefined && isObject(fields)) args.fields = fields;
  else if (fields !== undefined) errors.push({ field: 'fields', message: 'fields must be an object.' });
  return errors.length > 0 ? err(errors) : ok(args);
}

const isMissing = (value: Json | undefined): boolean =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '');

function operationOf({ operation }: JsonObject): Operation | AuthoringAnswer {
  if (isMissing(operation)) return refused({ field: 'operation', message: `operation is missing. ${there}` });
  const name = authoringOperations.find((one) => one === operation);
  if (name !== undefined) return operations[name];
  const operationText = typeof operation === 'string' ? operation : JSON.stringify(operation);
  return refused({
    field: 'operation',
    message: `Unknown operation ‘${operationText.slice(0, 100)}’. ${there}`,
  });
}

/**
 * A user's own call needs no consent. For a model's call, the user is asked once per draft and before every
 * publication (TUL-006 §10.4).
 */
function createContext(
  deps: AuthoringDeps,
  agreed: Set<string>,
  context: BuiltInToolContext,
): AuthoringContext {
  const consents: AuthoringContext['consents'] = async (question) =>
    context.actor === 'user' || (await deps.askUser(question, context));
  return {
    ...deps,
    consents,
    async consentsToDraft(workflowId, question) {
      const key = `${context.sessionId ?? ''} ${workflowId}`;
      if (agreed.has(key)) return true;
      const yes = await consents(question);
      if (yes && context.actor === 'model') agreed.add(key);
      return yes;
    },
  };
}

/** A context for the user's own calls, which need no consent. */
function createUserContext(deps: AuthoringDeps): AuthoringContext {
  const yes = (): Promise<boolean> => Promise.resolve(true);
  return { ...deps, consents: yes, consentsToDraft: yes };
}

/** Runs one operation with its arguments; never throws. */
async function run(params: JsonObject, authoring: AuthoringContext): Promise<AuthoringAnswer> {
  const operation = operationOf(params);
  if (typeof operation !== 'function') return operation;
  const args = readArguments(params);
  return args.ok ? operation(authoring, args.value) : refused(...args.error);
}

/**
 * The user's consents to models by session and draft. Publishing or discarding a draft ends them, because the
 * next draft is a new one.
 */
function createAgreements() {
  const agreed = new Set<string>();
  return {
    agreed,
    end: (answer: AuthoringAnswer, workflowId: unknown): AuthoringAnswer => {
      if (!answer.ok || typeof workflowId !== 'string') return answer;
      for (const key of agreed) if (key.endsWith(` ${workflowId}`)) agreed.delete(key);
      return answer;
    },
  };
}

/**
 * The panel for the window: every operation is the user's own, and an operation that ends a draft also ends
 * the consents for it.
 */
function panelOf(deps: AuthoringDeps, end: ReturnType<typeof createAgreements>['end']): AuthoringPanel {
  const authoring = createUserContext(deps);
  const panel = createAuthoringPanel(deps, authoring, (params) => run(params, authoring));
  return {
    ...panel,
    publish: async (workflowId, shown, reason) =>
      end(await panel.publish(workflowId, shown, reason), workflowId),
    discard: async (ending) => end(await panel.discard(ending), ending.workflowId),
  };
}

/** The definitions in files, which only a person uses: reads, checks, compares and publishes them. */
function fileOperations(deps: AuthoringDeps, end: ReturnType<typeof createAgreements>['end']) {
  const authoring = createUserContext(deps);
  return {
    published: (workflowId: string): Result<JsonObject | null> => {
      const found = findRecord(deps.store, workflowId);
      return found.ok ? ok(found.value.row && fieldsOf(found.value.row.definition)) : found;
    },
    draft: (workflowId: string): Result<JsonObject | null> => {
      const found = deps.store.draft(workflowId);
      return found.ok ? ok(found.value && found.value.fields) : found;
    },
    check: (fields: JsonObject) => checkDefinitionFile(authoring, fields),
    compare: (fields: JsonObject) => compareDefinitionFile(deps, fields),
    /** `consents` shows the person the difference and asks. */
    publish: async (
      fields: JsonObject,
      { reason, consents }: { readonly reason?: string } & Pick<AuthoringContext, 'consents'>,
    ): Promise<AuthoringAnswer> => {
      const answer = await publishDefinitionFile({ ...authoring, consents }, fields, reason);
      return end(answer, fields['WorkflowId']);
    },
  };
}

/**
 * Creates the authoring tool over its store. It stores metadata and makes no decisions of its own (TUL-006
 * §10.1).
 */
export function createAuthoring(deps: AuthoringDeps) {
  const { agreed, end } = createAgreements();
  const call = async (params: JsonObject, context: BuiltInToolContext): Promise<AuthoringAnswer> => {
    const answer = await run(params, createContext(deps, agreed, context));
    return params['operation'] === 'publish_workflow' ? end(answer, params['workflowId']) : answer;
  };
  const tool: BuiltInTool = {
    name: authoringTool,
    isToolFullyExecutedOnServer: true,
    asksItself: true,
    answersArguments: true,
    toolUsageMetadata: usage,
    schema,
    async execute(argumentsJson, context) {
      const parsed = parseJson(argumentsJson);
      if (parsed.ok && isObject(parsed.value)) return ok(JSON.stringify(await call(parsed.value, context)));
      const why = parsed.ok ? '' : ` (${parsed.error})`;
      const message = `The arguments must be one JSON object${why}.`;
      return ok(JSON.stringify(refused({ field: '', message })));
    },
  };
  return {
    /** One call of the authoring tool; never throws. */
    call,
    /** All versions of a workflow that were published here, oldest first. */
    history: deps.store.history,
    /** Notifies listeners when a published workflow or a draft changes, whoever changed it. */
    onChange: deps.store.onChange,
    /**
     * Removes a disabled workflow from the registry. Not an operation of the tool, so no model can request it.
     */
    remove: (removal: Removal, context: BuiltInToolContext): Promise<AuthoringAnswer> =>
      removeWorkflow(createContext(deps, agreed, context), removal),
    panel: panelOf(deps, end),
    file: fileOperations(deps, end),
    tool,
  };
}
