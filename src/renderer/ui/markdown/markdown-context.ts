import { createContext, useContext } from 'react';
import type { ArtifactImage } from '#shared/ipc-artifacts';
import type { DiagramAnswer } from '#shared/ipc-pictures';
import type { Result } from '#shared/result';
import type { LinkTargets } from '#shared/markdown/parse';

/** The actions that markdown content can request; it never opens, loads or copies anything by itself. */
export interface MarkdownActions {
  readonly onOpenLink: (url: string) => void;
  readonly onCopy: (text: string) => void;
  /** Opens an address inside the app; returns null for one that leads elsewhere. Absent for untrusted text. */
  readonly insideLink?: (href: string) => (() => void) | null;
}

const noActions: MarkdownActions = { onOpenLink: () => undefined, onCopy: () => undefined };

export const MarkdownActionsContext = createContext<MarkdownActions>(noActions);
export const LinkTargetsContext = createContext<LinkTargets>({});

/** Saves a text to a file that the user chooses; null where nothing can be saved. */
export const SaveTextContext = createContext<((name: string, content: string) => void) | null>(null);

/** Offers to write code to a file of the project; `fence`: its info string. Null where no project belongs to a text. */
export const WriteCodeContext = createContext<((code: string, fence: string) => void) | null>(null);

/** Pictures that main draws or loads for a text. */
export interface PictureCalls {
  readonly drawDiagram: (source: string, dark: boolean) => Promise<Result<DiagramAnswer>>;
  /** Loads the picture at an address; the user has seen its host. */
  readonly loadPicture: (url: string) => Promise<Result<ArtifactImage>>;
}

/** Null where a text shows no pictures. */
export const PictureContext = createContext<PictureCalls | null>(null);

export const usePictures = () => useContext(PictureContext);

export const useWriteCode = () => useContext(WriteCodeContext);

export const useSaveText = () => useContext(SaveTextContext);

export function useMarkdownActions(): MarkdownActions {
  return useContext(MarkdownActionsContext);
}
