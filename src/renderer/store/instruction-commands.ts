import type { InstructionFilesView } from '#shared/instruction-files';
import type { Result } from '#shared/result';
import type { CommandDeps } from './command-deps';

type View = Result<InstructionFilesView | null>;

/** Commands for the instructions that the project on the screen brings along. */
export interface InstructionCommands {
  readonly instructionFiles: () => Promise<View>;
  /** Adopts exactly the reading that was shown. */
  readonly adoptInstructionFiles: (found: string) => Promise<View>;
  readonly dropInstructionFiles: () => Promise<View>;
}

export function createInstructionCommands({ bridge, view }: CommandDeps): InstructionCommands {
  const place = () => {
    const { sessionId } = view.store.getState();
    return sessionId === null ? {} : { sessionId };
  };
  return {
    instructionFiles: () => bridge.invoke('instruction-files', place()),
    adoptInstructionFiles: (found) => bridge.invoke('instruction-files-adopt', { ...place(), found }),
    dropInstructionFiles: () => bridge.invoke('instruction-files-drop', place()),
  };
}
