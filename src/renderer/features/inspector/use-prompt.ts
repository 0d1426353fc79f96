import type { PromptPreview } from '#shared/prompt';
import type { Result } from '#shared/result';
import { useCallback, useEffect, useState } from 'react';

export type LoadPrompt = () => Promise<Result<PromptPreview>>;

/** Loads the prompt when shown and on request; drops an answer that arrives too late. */
export function usePrompt(loadPrompt: LoadPrompt) {
  const [result, setResult] = useState<Result<PromptPreview>>();
  const [reads, setReads] = useState(0);
  useEffect(() => {
    let wanted = true;
    void loadPrompt().then((loaded) => {
      if (wanted) setResult(loaded);
    });
    return () => {
      wanted = false;
    };
  }, [loadPrompt, reads]);
  const reload = useCallback(() => setReads((times) => times + 1), []);
  return { result, reload };
}
