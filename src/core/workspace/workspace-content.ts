import type { ConfigProblem } from '#shared/app-error';
import type { ResponseFormat, ToolDescriptor } from './workspace-schemas';
import type { CallKind } from '../session/step-material';

export type ContextPiece =
  { readonly kind: 'text'; readonly path: string; readonly text: string } | ContextImage;

/** An image of the static context, with the bytes that go to a model. */
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
  /** The calls it speaks in; absent: all. */
  readonly for?: readonly CallKind[];
}

/** A prompt pack with everything it refers to in it: templates with their variables filled in, in order. */
export interface PromptPack {
  readonly id: string;
  readonly templates: readonly PackTemplate[];
  readonly context: readonly ContextPiece[];
  readonly responseFormat?: ResponseFormat;
}

/** Names and patterns of the tools a catalog shows; `descriptors` are those it names by file. */
export interface ToolCatalog {
  readonly id: string;
  readonly tools: readonly string[];
  readonly descriptors: readonly ToolDescriptor[];
}

/** What a snapshot's files say, once they were found to hold. Frozen. */
export interface WorkspaceContent {
  readonly legacy: boolean;
  readonly packs: ReadonlyMap<string, PromptPack>;
  readonly catalogs: ReadonlyMap<string, ToolCatalog>;
  readonly defaults: { readonly promptPack: string | null; readonly toolCatalog: string };
  /** What a reader should know and is no reason to refuse. */
  readonly warnings: readonly ConfigProblem[];
}
