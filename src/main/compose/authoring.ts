import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ok } from '#shared/result';
import { processAlive } from '../adapters/system/process-alive';
import { userName } from '../adapters/system/user-name';
import { createWorkflowFolder } from '../adapters/workflows/workflow-folder';
import type { AgentRuntime } from '../app';
import { localTime } from './ddrs';
import type { ModelQuestions } from '../../core/control-plane/model-questions';
import type { Ddrs } from '../../core/ddrs/create-ddrs';
import type { CoreDeps } from './core-deps';
import type { ModeCatalog } from '../../core/modes/mode-catalog';
import type { BuiltInTool } from '../../core/ports/built-in-tool';
import type { WorkflowStore } from '../../core/ports/workflow-store';
import { canonicalHash } from '../../core/tools/canonical-hash';
import {
  authoringTool,
  createAuthoring,
  type Authoring,
} from '../../core/workflows/authoring/create-authoring';
import type { AuthoringFacts, KnownTool } from '../../core/workflows/authoring/authoring-facts';

/** Stores workflows in `PATINA_HOME/workflows`, over those of Patina and the packs. */
export function composeWorkflowStore({ host, clock, seeds }: CoreDeps): WorkflowStore {
  return createWorkflowFolder({
    folder: join(host.home, 'workflows'),
    bundled: seeds.workflows,
    hash: canonicalHash,
    pid: process.pid,
    processAlive,
    now: clock.now,
    wait: () => sleep(20),
  });
}

export interface AuthoringParts {
  readonly coreDeps: CoreDeps;
  readonly store: WorkflowStore;
  readonly ddrs: Ddrs;
  readonly questions: ModelQuestions;
  readonly modes: ModeCatalog;
  /** The host's other tools, which a workflow may permit. */
  readonly builtInTools: readonly BuiltInTool[];
  readonly project: () => string | null;
  readonly agentRuntime: () => Promise<AgentRuntime>;
}

const yes = 'Yes';

/** The servers' tools are known when there is a project folder whose servers respond. */
async function serverTools({
  project,
  agentRuntime,
}: AuthoringParts): Promise<Pick<AuthoringFacts, 'tools' | 'serversUnknown'>> {
  const folder = project();
  if (folder === null) return { tools: [], serversUnknown: 'there is no project folder.' };
  const side = await agentRuntime();
  const listed = await side.describeTools(folder, 'needed');
  if (!listed.ok) return { tools: [], serversUnknown: listed.error.message };
  const tools = listed.value.map(({ uri, access }): KnownTool => ({ name: uri, access }));
  return { tools, serversUnknown: null };
}

/**
 * Composes workflow authoring: the context that validates a definition, and the approval cards for changes
 * that a model may not make by itself.
 */
export function composeAuthoring(parts: AuthoringParts): Authoring {
  const { coreDeps, store, ddrs, questions, modes, builtInTools } = parts;
  const { host, clock } = coreDeps;
  const offered = builtInTools.filter(({ commandOnly }) => !commandOnly);
  const own = [...offered.map(({ name }) => name), authoringTool];
  return createAuthoring({
    store,
    ddr: ddrs.read,
    recordHash: (ddr, id, hash) => ddrs.recordWorkflow(ddr, { id, hash }),
    userName: () => userName(host.env),
    localTime: () => localTime(clock.now()),
    facts: async () => {
      const servers = await serverTools(parts);
      return {
        modes: modes.modes.map(({ key, associatedToolIds }) => ({ key, tools: associatedToolIds })),
        tools: [...own.map((name): KnownTool => ({ name, access: 'host' })), ...servers.tools],
        serversUnknown: servers.serversUnknown,
        alwaysOffered: offered.filter(({ alwaysOffered }) => alwaysOffered).map(({ name }) => name),
      };
    },
    askUser: async ({ text, detail }, context) => {
      const detailForm = 'difference' as const;
      const question = { text, detail, detailForm, options: [yes, 'No'], mode: '', focusId: null };
      const answer = await questions.ask(context, question, () => ok({ facts: [] }));
      return answer.ok && answer.value === yes;
    },
  });
}
