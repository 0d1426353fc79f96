import { mergeParameters, modelKey } from '#shared/model-parameters';
import { readProjectFile } from '../adapters/system/read-project-file';
import { repositoryOf } from '../adapters/system/project-folder';
import { createApproveCall } from '../../core/control-plane/approve-call';
import type { ControlPlane } from '../../core/control-plane/control-plane';
import type { ModelQuestions } from '../../core/control-plane/model-questions';
import type { ModeCatalog } from '../../core/modes/mode-catalog';
import { modeCatalogBlock, modeInstructionsBlock } from '../../core/modes/mode-instructions';
import { workContextBlock } from '../../core/modes/work-context-block';
import { createModelContext } from '../../core/session/model-context';
import { promptOf, type PromptTexts } from '../../core/session/prompt';
import { loadTokenCount } from '../../core/session/token-count';
import { activeBlock } from '../../core/workflows/active-block';
import { bootBlock } from '../../core/workflows/boot-block';
import { createWorkflowGuard } from '../../core/workflows/guard';
import { createInstructionFiles } from '../../core/workspace/instruction-files';
import { createStepMaterialSource } from '../../core/workspace/step-material-source';
import { listQuickly } from './attach';
import type { CoreDeps } from './core-deps';
import type { AgentLoader } from './lazy-agent';
import type { Storage } from './storage';
import type { StoredWorkspace } from './workspace';

interface ContextParts {
  readonly stored: StoredWorkspace;
  readonly storage: Pick<Storage, 'registry' | 'log'>;
  readonly agentRuntime: AgentLoader;
  readonly modes: ModeCatalog;
  readonly modeOf: ControlPlane['modeOf'];
  readonly questions: ModelQuestions;
}

/** Builds what a model is sent besides the conversation: its prompt, its tools and its parameters. */
export function composeModelContext(
  { settings, clock, ids }: CoreDeps,
  { stored, storage, agentRuntime, modes, modeOf, questions }: ContextParts,
) {
  const { registry, log } = storage;
  const { toolCalls } = agentRuntime;
  const instructionFiles = createInstructionFiles({
    store: stored.adopted,
    hashOf: stored.hashOf,
    list: listQuickly,
    readFile: readProjectFile,
    repositoryOf,
    decided: (folder) => settings.get().instructionFiles[folder],
    decide: (folder, hash) =>
      settings.patch({ instructionFiles: { ...settings.get().instructionFiles, [folder]: hash } }),
    countTokens: loadTokenCount,
  });
  const steps = createStepMaterialSource({ log, snapshots: stored.snapshots });
  const texts: PromptTexts = {
    modeOf,
    modeCatalog: (mode, offered) => modeCatalogBlock(modes, mode, offered),
    modeInstructions: modeInstructionsBlock,
    workflowBoot: ({ workflowPin, workflow }, offered) =>
      bootBlock(registry.view(workflowPin), offered, workflow?.definition),
    activeWorkflow: activeBlock,
    instructions: (folder) => {
      const { instructions, projectInstructions } = settings.get();
      return { app: instructions, project: (folder !== null && projectInstructions[folder]) || '' };
    },
    projectFiles: instructionFiles.blocks,
    workContext: workContextBlock,
    material: steps.peek,
  };
  const modelContext = createModelContext({
    log,
    clock,
    ids,
    toolCalls,
    capabilities: async (folder) => (await agentRuntime.load()).policy.capabilities(folder),
    workflowGuard: createWorkflowGuard({ log, registry }),
    toolsInAsk: () => settings.get().toolsInAsk,
    approve: createApproveCall({ questions, ids, modeOf }),
    modeTools: (state, mode = modeOf(state)) => modes.getToolsForMode(mode.key),
    promptOf: (state, kind, offered, turn) => promptOf(texts, state, kind, offered, turn),
    steps,
    parameters: (state, { model, parameters }) =>
      mergeParameters(settings.get().modelOptions[modelKey(model)], state.parameters, parameters),
  });
  return { instructionFiles, modelContext };
}
