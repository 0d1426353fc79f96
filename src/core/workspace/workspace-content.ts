import type { ConfigProblem } from '#shared/app-error';
import type { ResponseFormat, ToolDescriptor } from './workspace-schemas';
import type { CallKind } from '../session/step-material';

export type ContextPiece =
  { readonly kind: 'text'; readonly path: string; readonly text: string } | ContextImage;

/** An image of the static context, with the bytes that are sent to a model. */
export interface ContextImage {
  readonly kind: 'image';
  readonly path: string;
  readonly mediaType: string;
  readonly width: number;
  readonly height: number;
  readonly sha256: string;
  readonly content: Uint8Array;
}

export interface PackTemplate {
  readonly path: string;
  readonly text: string;
  /** The kinds of call it applies to; absent means all. */
  readonly for?: readonly CallKind[];
}

/** A prompt pack with everything it refers to: templates with their variables filled in, in order. */
export interface PromptPack {
  readonly id: string;
  readonly templates: readonly PackTemplate[];
  readonly context: readonly ContextPiece[];
  readonly responseFormat?: ResponseFormat;
}

/**
 * The names and patterns of the tools that a catalog shows; `descriptors` are those that it names by file.
 */
export interface ToolCatalog {
  readonly id: string;
  /** The path of its file in the workspace; the folder of a workspace without an index. */
  readonly file: string;
  readonly tools: readonly string[];
  readonly descriptors: readonly ToolDescriptor[];
}

/** The parsed content of a valid snapshot. Frozen. */
export interface WorkspaceContent {
  readonly legacy: boolean;
  readonly packs: ReadonlyMap<string, PromptPack>;
  readonly catalogs: ReadonlyMap<string, ToolCatalog>;
  readonly defaults: { readonly promptPack: string | null; readonly toolCatalog: string };
  /** Problems that a reader should know about, but that do not make the snapshot invalid. */
  readonly warnings: readonly ConfigProblem[];
}
