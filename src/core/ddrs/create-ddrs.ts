import { DdrCall, type Ddr, type DdrAnswer } from '#shared/ddr';
import { parseJson, type JsonObject } from '#shared/json';
import type { ResolverItem } from '#shared/resolver';
import { err, ok, type Result } from '#shared/result';
import { appError, type ConfigProblem } from '#shared/app-error';
import type { DdrStore } from '../ports/ddr-store';
import type { BuiltInTool, BuiltInToolContext } from '../ports/built-in-tool';
import type { ItemSource } from '../ports/item-source';
import { catalogOperations, readingOperations } from './reading-operations';
import { chapterOperations } from './chapter-operations';
import type { DdrDocument } from './document';
import { ddrOperations } from './ddr-operations';
import { goalOperations } from './goal-operations';
import { createLibrary } from './library';
import { editDocument, type AskUser, type OperationContext, type Operation } from './operation';

export interface DdrsDeps {
  readonly store: DdrStore;
  /** The name recorded in approvals. */
  readonly userName: () => string;
  /** Local time with its offset: `2026-01-02T10:11:12+01:00`. */
  readonly localTime: () => string;
}

/** Design records: the tool, and the items of the `ddrs` catalog. */
export type Ddrs = ReturnType<typeof createDdrs>;

const operations: ReadonlyMap<string, Operation> = new Map([
  ...[...catalogOperations, ...ddrOperations, ...goalOperations],
  ...[...chapterOperations, ...readingOperations],
]);

const usage = [
  'Reads and writes design records (DDRs): numbered documents with a goal and chapters that a person approves.',
  'Call it with {operation, payload}; it answers {ok: true, result} or {ok: false, error: {code, message}}.',
  'Approvals belong to the user: an operation that needs one asks, and answers approval_required without a yes. Identifiers are given by the host.',
  'Operations:',
  ...[...operations.values()].map((one) => `- ${one.usage}`),
].join('\n');

const schema = {
  type: 'object',
  properties: {
    operation: { type: 'string', description: `One of ${[...operations.keys()].join(', ')}.` },
    payload: { type: 'object', description: 'The fields of the operation.' },
  },
  required: ['operation', 'payload'],
  additionalProperties: false,
};

const refused = (code: 'unknown_operation' | 'invalid_payload', message: string): DdrAnswer => ({
  ok: false,
  error: { code, message },
});

const statusWords: Readonly<Record<Ddr['status'], string>> = {
  draft: 'Draft',
  in_review: 'In review',
  approved: 'Approved',
  deprecated: 'Deprecated',
};

function toItem({ ddr: { id, title, summary, status, aliases }, stored }: DdrDocument): ResolverItem {
  const description = [statusWords[status], summary.replaceAll(/\s+/g, ' ')].filter(Boolean).join(' · ');
  return {
    header: { id, displayName: title },
    description,
    aliases: [...aliases],
    keywords: [status],
    userTitled: stored.origin === 'home',
  };
}

function readCall(argumentsJson: string): DdrCall | string {
  const value = parseJson(argumentsJson);
  if (!value.ok) return `The arguments are not JSON: ${value.error}`;
  const call = DdrCall.safeParse(value.value);
  if (call.success) return call.data;
  const [issue] = call.error.issues;
  return `${issue?.path.map(String).join('.') || 'arguments'}: ${issue?.message ?? 'not valid'}. Call it with {operation, payload}.`;
}

/**
 * Creates the DDR manager. A user's own call counts as approval; a model's approvals
 * and deletions ask the user.
 */
export function createDdrs({ store, userName, localTime }: DdrsDeps) {
  const library = createLibrary(store);
  const approval = () => ({ by: userName(), at: localTime() });
  const call = async (
    { operation: name, payload }: { readonly operation: string; readonly payload: JsonObject },
    context: BuiltInToolContext,
    askUser: AskUser,
  ): Promise<DdrAnswer> => {
    const operation = operations.get(name);
    if (!operation) {
      const there = [...operations.keys()].join(', ');
      return refused(
        'unknown_operation',
        `There is no operation "${name.slice(0, 100)}". There are: ${there}.`,
      );
    }
    const operationContext: OperationContext = {
      library,
      store,
      approval,
      consents: async (question) => context.actor === 'user' || (await askUser(question, context)),
    };
    const answer = await operation.run(payload, operationContext);
    return answer.ok ? { ok: true, result: answer.value } : { ok: false, error: answer.error };
  };
  const items: Pick<ItemSource, 'scopeKey' | 'load' | 'onChange'> = {
    scopeKey: () => '',
    load: () => {
      const list = library.list();
      if (!list.ok) return Promise.resolve(err(appError('HOST', 'STORAGE', list.error.message)));
      return Promise.resolve(ok(list.value.documents.map(toItem)));
    },
    onChange: store.onChange,
  };
  return {
    items,
    /**
     * One call of the DDR manager; never throws. `askUser` asks the user for a decision that a model's call
     * may not make.
     */
    call,
    /** Records the hash of a workflow's definition in its design record; null removes it. */
    recordWorkflow: (ddrId: string, workflow: { readonly id: string; readonly hash: string | null }) =>
      recordWorkflow({ library, store, approval, consents: () => Promise.resolve(true) }, ddrId, workflow),
    /** The current design record; null when there is none with that id or it cannot be read. */
    read(id: string): Ddr | null {
      const found = library.find(id);
      return found.ok ? found.value.ddr : null;
    },
    tool: (askUser: AskUser): BuiltInTool => ({
      name: 'agent_ddr_manager',
      isToolFullyExecutedOnServer: true,
      toolUsageMetadata: usage,
      schema,
      async execute(argumentsJson, context) {
        const read = readCall(argumentsJson);
        const answer =
          typeof read === 'string' ? refused('invalid_payload', read) : await call(read, context, askUser);
        return ok(JSON.stringify(answer));
      },
    }),
    /** Unreadable user files; each hides only its own document. */
    problems(): readonly ConfigProblem[] {
      const list = library.list();
      if (list.ok) return list.value.problems;
      return [{ file: 'ddrs', field: '', rule: 'readable', reason: list.error.message }];
    },
  };
}

/**
 * Records in a design record which workflow definition it approves (TUL-006 §8.8); null removes the entry.
 * The approved text and its approval stay unchanged. Only a publication by the user calls this.
 */
export async function recordWorkflow(
  operationContext: OperationContext,
  ddrId: string,
  workflow: { readonly id: string; readonly hash: string | null },
): Promise<Result<null>> {
  const done = await editDocument(operationContext, ddrId, ({ known }) => {
    const { [workflow.id]: _before, ...others } = known.workflows ?? {};
    const workflows = workflow.hash === null ? others : { ...others, [workflow.id]: workflow.hash };
    return ok({ change: { keys: { workflows } } });
  });
  return done.ok ? ok(null) : err(appError('HOST', 'STATE', done.error.message));
}
