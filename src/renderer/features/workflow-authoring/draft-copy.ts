import type { JsonObject } from '#shared/json';
import type { AuthoredWorkflow } from '#shared/workflow-panel';
import type { Commands } from '../../store/commands';
import { lineText } from '../../ui/json-text';
import { refusalOf, saveRefusal } from './refusal';

/** A workflow to make a draft from. */
export interface DraftSource {
  /** `file`: it keeps its id and its version; a copy gets its own. */
  readonly kind: 'copy' | 'file';
  readonly fields: JsonObject;
}

/** The fields that make a copy a workflow, or a version, of its own. */
const ownFields: Readonly<Record<DraftSource['kind'], ReadonlySet<string>>> = {
  copy: new Set(['WorkflowId', 'Version']),
  file: new Set(['WorkflowId']),
};

/**
 * Gives a draft the fields of another workflow, or of another version. Fields that only the draft has are
 * removed from it. Returns why this was refused, or null.
 */
export async function copyIntoDraft(
  commands: Pick<Commands, 'viewAuthored' | 'saveDraft'>,
  workflowId: string,
  { kind, fields: source }: DraftSource,
): Promise<string | null> {
  const viewed = await commands.viewAuthored(workflowId);
  if (!viewed.ok) return viewed.error.message;
  const { fields, draft } = viewed.value;
  if (!draft) return null;
  const dropped = Object.keys(fields ?? {}).filter((name) => !(name in source));
  const changes = [...dropped.map((name) => [name, null] as const), ...Object.entries(source)];
  const own = Object.fromEntries(changes.filter(([name]) => !ownFields[kind].has(name)));
  return saveRefusal(await commands.saveDraft({ workflowId, revision: draft.hash, fields: own }));
}

/** Drafts a version of a workflow, from given fields or the published ones; returns why it was refused, or null. */
export async function draftVersion(
  commands: Pick<Commands, 'viewAuthored' | 'saveDraft' | 'callAuthoring'>,
  { workflowId, fields }: Pick<AuthoredWorkflow, 'workflowId' | 'fields'>,
  source?: JsonObject,
): Promise<string | null> {
  const words = source ?? fields;
  const [title, description] = [lineText(words?.['Title']), lineText(words?.['Description'])];
  const call = { operation: 'draft_workflow', workflowId, title, description } as const;
  const refused = refusalOf(await commands.callAuthoring(call));
  if (refused !== null || source === undefined) return refused;
  return copyIntoDraft(commands, workflowId, { kind: 'copy', fields: source });
}
