import type { JsonObject } from '#shared/json';
import { useCallback, useState } from 'react';
import { useCommands } from '../../store/app-context';
import { knowing, readTyping, typingText, type Typing } from './draft-edits';

/** What was typed into a draft and is not in it yet; kept at once, so that it outlives the panel and the window. */
export function useTyping(workflowId: string, fields: JsonObject) {
  const commands = useCommands();
  const [typing, setTyping] = useState(() => readTyping(commands.unsavedEdits(workflowId), fields));
  if (typing.known !== fields) setTyping((held) => knowing(held, fields));
  const change = useCallback(
    (next: (held: Typing) => Typing) =>
      setTyping((held) => {
        const after = next(held);
        commands.keepEdits(workflowId, typingText(after));
        return after;
      }),
    [commands, workflowId],
  );
  return [typing, change] as const;
}
