import type { ArtifactImage } from '#shared/ipc-artifacts';
import type { DiagramAnswer } from '#shared/ipc-pictures';
import type { Result } from '#shared/result';
import type { CommandDeps } from './command-deps';

/** Pictures in a reply; each is made or loaded once, and stays known while the window is open. */
export interface PictureCommands {
  readonly drawDiagram: (source: string, dark: boolean) => Promise<Result<DiagramAnswer>>;
  readonly loadPicture: (url: string) => Promise<Result<ArtifactImage>>;
}

const maxKnown = 60;

/** Remembers the newest answers by key; a failed request may be made again. */
function createAnswers<T>() {
  const known = new Map<string, Promise<Result<T>>>();
  return (key: string, ask: () => Promise<Result<T>>): Promise<Result<T>> => {
    const found = known.get(key);
    if (found) return found;
    const answer = ask();
    known.set(key, answer);
    const [oldest] = known.keys();
    if (known.size > maxKnown && oldest !== undefined) known.delete(oldest);
    void answer.then(({ ok }) => {
      if (!ok) known.delete(key);
    });
    return answer;
  };
}

export function createPictureCommands({ bridge }: Pick<CommandDeps, 'bridge'>): PictureCommands {
  const drawn = createAnswers<DiagramAnswer>();
  const loaded = createAnswers<ArtifactImage>();
  return {
    drawDiagram: (source, dark) =>
      drawn(`${dark} ${source}`, () => bridge.invoke('diagram-draw', { source, dark })),
    loadPicture: (url) => loaded(url, () => bridge.invoke('picture-load', { url })),
  };
}
