import type { AgentMode } from '#shared/mode';
import type { PromptBlock, PromptPreview, PromptTool } from '#shared/prompt';
import { imageTokens, type SentImage } from '#shared/prompt-image';
import type { Result } from '#shared/result';
import { turnAt, type SessionState } from '#shared/session-state';
import type { ModelTool, SystemMessage } from '../ports/llm';
import type { PromptImage, PromptText } from '../ports/prompt-text';
import type { OfferedTools } from '../tools/offered-tools';
import type { CallKind, StepMaterial } from './step-material';

/** The parts that can contribute to the system message. Absent and blank parts are left out. */
export interface PromptContext {
  readonly workspacePack?: PromptText;
  readonly modeCatalog?: PromptText;
  readonly modeInstructions?: PromptText;
  readonly workflowBoot?: PromptText;
  readonly activeWorkflow?: PromptText;
  /** The adopted files of the project. */
  readonly projectFiles?: readonly PromptText[];
  /** The user's own instructions for every session, for the project and for this session. */
  readonly appInstructions?: PromptText;
  readonly projectInstructions?: PromptText;
  readonly sessionInstructions?: PromptText;
  readonly workContext?: PromptText;
  readonly staticContext?: PromptText;
}

/** The texts that a session's mode, workflow, focus and workspace put into the system message; '' for none. */
export interface PromptTexts {
  readonly modeOf: (state: SessionState) => AgentMode;
  readonly modeCatalog: (mode: AgentMode, offered: OfferedTools) => string;
  readonly modeInstructions: (mode: AgentMode, offered: OfferedTools) => string;
  /** The workflows that a model may start, in a session with this state. */
  readonly workflowBoot: (
    state: Pick<SessionState, 'workflow' | 'workflowPin'>,
    offered: OfferedTools,
  ) => string;
  readonly activeWorkflow: (workflow: SessionState['workflow']) => string;
  /** Absent: the user can give none. */
  readonly instructions?: (project: string | null) => { readonly app: string; readonly project: string };
  /** The adopted files of the project that apply to the file that is worked on. Absent: there are none. */
  readonly projectFiles?: (project: string | null, file: string | null) => readonly PromptText[];
  readonly workContext: (context: SessionState['context']) => string;
  readonly material: (state: SessionState, turn?: number) => Result<StepMaterial>;
}

function instructionBlocks(
  { instructions }: PromptTexts,
  state: SessionState,
): Pick<PromptContext, 'appInstructions' | 'projectInstructions' | 'sessionInstructions'> {
  const { app = '', project = '' } = instructions?.(state.project) ?? {};
  const headed = (heading: string, text: string): string =>
    text.trim() === '' ? '' : `# ${heading}\n${text}`;
  return {
    appInstructions: { source: 'your instructions', text: headed("The user's instructions", app) },
    projectInstructions: {
      source: 'your instructions: project',
      text: headed("The user's instructions for this project", project),
    },
    sessionInstructions: {
      source: 'your instructions: session',
      text: headed("The user's instructions for this session", state.instructions ?? ''),
    },
  };
}

/** The project file that a line is about: the focus, else the file attached last; null for none. */
function fileOf(state: SessionState, turn: number | undefined): string | null {
  const { entityType, entityHeader } = state.context ?? {};
  if (entityType === 'project_file' && entityHeader) return entityHeader.id;
  const items = (turn === undefined ? undefined : turnAt(state, turn)?.items) ?? [];
  return items.findLast(({ kind }) => kind === 'file')?.ref ?? null;
}

/** What the model is sent before the conversation, for a kind of call that offers these tools. */
export function promptOf(
  texts: PromptTexts,
  state: SessionState,
  kind: CallKind,
  offered: OfferedTools,
  turn?: number,
): PromptContext {
  const mode = texts.modeOf(state);
  // A step without available content is refused when it begins.
  const material = texts.material(state, turn);
  const packBlock = material.ok ? material.value.packBlock(kind) : undefined;
  const contextBlock = material.ok ? material.value.contextBlock : undefined;
  return {
    ...(packBlock && { workspacePack: packBlock }),
    ...(contextBlock && { staticContext: contextBlock }),
    modeCatalog: { source: 'mode catalog', text: texts.modeCatalog(mode, offered) },
    modeInstructions: { source: `mode: ${mode.key}`, text: texts.modeInstructions(mode, offered) },
    workflowBoot: { source: 'workflows', text: texts.workflowBoot(state, offered) },
    activeWorkflow: {
      source: `workflow: ${state.workflow?.definition.WorkflowId ?? ''}`,
      text: texts.activeWorkflow(state.workflow),
    },
    projectFiles: texts.projectFiles?.(state.project, fileOf(state, turn)) ?? [],
    ...instructionBlocks(texts, state),
    workContext: { source: 'active work context', text: texts.workContext(state.context) },
  };
}

/** The order of the blocks. The run mode has no part in it: Ask is the same with Agent Mode on or off. */
const order = [
  'workspacePack',
  'modeCatalog',
  'modeInstructions',
  'workflowBoot',
  'activeWorkflow',
  'projectFiles',
  'appInstructions',
  'projectInstructions',
  'sessionInstructions',
  'workContext',
  'staticContext',
] as const satisfies readonly (keyof PromptContext)[];

/** The blocks of the single system message, in order; LF line ends, no surrounding blank lines. Pure. */
export function composePrompt(context: PromptContext): readonly PromptText[] {
  return order.flatMap((part) =>
    [context[part] ?? []].flat().flatMap(({ source, text, images }) => {
      const trimmed = text.replaceAll('\r\n', '\n').trim();
      return trimmed === '' ? [] : [{ source, text: trimmed, ...(images && { images }) }];
    }),
  );
}

/** The system message: the block texts, separated by one empty line. */
export function systemMessage(blocks: readonly PromptText[]): string {
  return blocks.map((block) => block.text).join('\n\n');
}

/** The images of the blocks, in order. */
export const imagesOf = (blocks: readonly PromptText[]): readonly PromptImage[] =>
  blocks.flatMap(({ images = [] }) => images);

/** The blocks as one system message of a request, with their images. */
export function asMessage(blocks: readonly PromptText[]): SystemMessage {
  const images = imagesOf(blocks).map(({ label, mediaType, content }) => ({
    label,
    mediaType,
    bytes: content,
  }));
  return { role: 'system', content: systemMessage(blocks), ...(images.length > 0 && { images }) };
}

/** An image as recorded and shown: without its bytes. */
export const withoutBytes = ({ content: _, ...image }: PromptImage): SentImage => image;

/** The output of `patina prompt`: blocks, images and tools with their token counts, and the total. */
export function previewPrompt(
  blocks: readonly PromptText[],
  tools: readonly ModelTool[],
  countTokens: (text: string) => number,
): PromptPreview {
  const counted: readonly PromptBlock[] = blocks.map(({ source, text }) => ({
    source,
    text,
    tokens: countTokens(text),
  }));
  const images = imagesOf(blocks).map((image) => ({
    ...withoutBytes(image),
    tokens: countTokens(image.label) + imageTokens(image),
  }));
  const countedTools: readonly PromptTool[] = tools.map(({ name, description, parameters }) => ({
    name,
    description,
    parameters,
    tokens: countTokens(JSON.stringify({ name, description, parameters })),
  }));
  const total = [...counted, ...images, ...countedTools].reduce((sum, part) => sum + part.tokens, 0);
  return { blocks: counted, ...(images.length > 0 && { images }), tools: countedTools, total };
}
