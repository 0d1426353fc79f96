import type { Artifact } from '#shared/execution';
import type { ArtifactText } from '#shared/ipc-artifacts';
import { useCallback, useDeferredValue, useState } from 'react';
import { text } from '../../locales/text';
import { Button } from '../../ui/button';
import { CodeBlock } from '../../ui/markdown/code-block';
import { useAnswer } from '../../ui/use-answer';
import { useArtifactCalls } from '../run-parts/artifact-calls';

const firstLines = 200;
/** Maximum characters to render, however few lines the text has. */
const maxCharacters = 200_000;

/** Formats one long line of JSON for reading; returns anything else unchanged. */
function readable(text: string, whole: boolean): string {
  if (!whole || text.includes('\n')) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

interface ShownProps {
  readonly type: string;
  readonly read: ArtifactText;
  readonly grep: string;
  readonly lines: number;
  readonly onMore: () => void;
}

/** How much of the whole text is on the screen. */
function extent({ read, grep, lines }: Pick<ShownProps, 'read' | 'grep' | 'lines'>): string {
  if (grep !== '')
    return text('inspector.artifacts.matching', {
      count: read.text === '' ? 0 : read.text.split('\n').length,
    });
  const shown = Math.min(lines, read.lines);
  return shown < read.lines
    ? text('inspector.artifacts.someLines', { shown, count: read.lines })
    : text('shared.lines', { count: read.lines });
}

/** The text to render, and whether it is cut. */
function drawn({ read, grep, lines }: Pick<ShownProps, 'read' | 'grep' | 'lines'>) {
  const readableText = readable(read.text, grep === '' && !read.cut && lines >= read.lines);
  return { code: readableText.slice(0, maxCharacters), cut: read.cut || readableText.length > maxCharacters };
}

function Shown({ type, onMore, ...shown }: ShownProps) {
  const { code, cut } = drawn(shown);
  const searched = shown.grep !== '';
  const more = !searched && !cut && shown.lines < shown.read.lines;
  return (
    <>
      <p className="numbers text-xs text-muted">{extent(shown)}</p>
      {code !== '' && (
        <CodeBlock
          code={code}
          language={type.includes('json') && !searched ? 'json' : 'text'}
          growing={false}
        />
      )}
      {cut && <p className="text-xs text-muted">{text('inspector.artifacts.cut')}</p>}
      {more && (
        <Button className="h-7" onClick={onMore}>
          {text('inspector.artifacts.more')}
        </Button>
      )}
    </>
  );
}

/** The content of an artifact: its first lines, more on request, or the lines that contain a text. */
export function ArtifactView({ artifact: { handle, type } }: { readonly artifact: Artifact }) {
  const { readArtifact } = useArtifactCalls();
  const [query, setTyped] = useState('');
  const [lines, setLines] = useState(firstLines);
  const grep = useDeferredValue(query);
  const read = useCallback(() => readArtifact(handle, lines, grep), [readArtifact, handle, lines, grep]);
  const answer = useAnswer(read, 0);
  return (
    <div className="border-t border-line px-3 py-2.5">
      <input
        type="search"
        value={query}
        maxLength={1_000}
        aria-label={text('inspector.artifacts.filter')}
        placeholder={text('inspector.artifacts.filterHint')}
        onChange={(event) => setTyped(event.target.value)}
        className="mb-1.5 h-7 w-full rounded-md border border-line-strong bg-canvas px-2 text-sm"
      />
      {answer?.ok && (
        <Shown type={type} read={answer.value} grep={grep} lines={lines} onMore={() => setLines(lines * 5)} />
      )}
      {answer && !answer.ok && (
        <p className="text-sm text-danger-text">
          {answer.error.message} {answer.error.hint}
        </p>
      )}
    </div>
  );
}
