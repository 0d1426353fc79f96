import { maxDiagramLength, type DiagramAnswer } from '#shared/ipc-pictures';
import { CodeXml, Workflow } from 'lucide-react';
import { useCallback, useState, useSyncExternalStore } from 'react';
import { text } from '../../locales/text';
import { useAnswer } from '../use-answer';
import { CodeBlock, CopyButton, Tool } from './code-block';
import { useMarkdownActions, usePictures, type PictureCalls } from './markdown-context';

const systemDark = () => window.matchMedia('(prefers-color-scheme: dark)');

function subscribe(listener: () => void): () => void {
  const chosen = new MutationObserver(listener);
  chosen.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  const query = systemDark();
  query.addEventListener('change', listener);
  return () => {
    chosen.disconnect();
    query.removeEventListener('change', listener);
  };
}

function isDark(): boolean {
  const { theme } = document.documentElement.dataset;
  return theme === undefined ? systemDark().matches : theme === 'dark';
}

/** Whether the window is dark, by the user's choice or the system's. */
const useDark = (): boolean => useSyncExternalStore(subscribe, isDark);

function problemText(answer: Exclude<DiagramAnswer, { readonly drawn: unknown }>): string {
  if (answer.problem !== 'syntax')
    return text(answer.problem === 'late' ? 'ui.diagram.late' : 'ui.diagram.too-large');
  return answer.line === undefined
    ? text('ui.diagram.syntax')
    : text('ui.diagram.syntaxInLine', { line: answer.line });
}

interface DiagramProps {
  readonly code: string;
  readonly language: string;
}

/** The picture is twice as large as it is shown, for displays with small pixels. */
const scale = 2;

function Picture({
  code,
  image,
  onSource,
}: {
  readonly code: string;
  readonly image: Extract<DiagramAnswer, { readonly drawn: unknown }>['drawn'];
  readonly onSource: () => void;
}) {
  const { onCopy } = useMarkdownActions();
  return (
    <figure
      aria-label={text('ui.diagram.diagram')}
      className="my-3 overflow-hidden rounded-lg border border-line bg-code"
    >
      <figcaption className="flex h-8 items-center border-b border-line ps-3 pe-1 font-sans text-xs text-muted">
        <span className="grow truncate">{text('ui.diagram.diagram')}</span>
        <Tool icon={CodeXml} label={text('ui.diagram.showSource')} onPress={onSource} />
        <CopyButton text={code} what={text('ui.code.code')} onCopy={onCopy} />
      </figcaption>
      <div
        tabIndex={0}
        role="region"
        aria-label={text('ui.diagram.diagram')}
        className="max-h-[36rem] overflow-auto p-3"
      >
        <img
          src={image.dataUrl}
          width={Math.ceil(image.width / scale)}
          height={Math.ceil(image.height / scale)}
          alt={text('ui.diagram.alt')}
          className="mx-auto h-auto max-w-full"
        />
      </div>
    </figure>
  );
}

function Drawing({ code, language, draw }: DiagramProps & { readonly draw: PictureCalls['drawDiagram'] }) {
  const dark = useDark();
  const [source, setSource] = useState(false);
  const answer = useAnswer(
    useCallback(() => draw(code, dark), [draw, code, dark]),
    0,
  );
  if (!answer)
    return <CodeBlock code={code} language={language} growing={false} note={text('ui.diagram.drawing')} />;
  if (!answer.ok)
    return <CodeBlock code={code} language={language} growing={false} note={answer.error.message} />;
  if (!('drawn' in answer.value))
    return <CodeBlock code={code} language={language} growing={false} note={problemText(answer.value)} />;
  if (!source) return <Picture code={code} image={answer.value.drawn} onSource={() => setSource(true)} />;
  return (
    <CodeBlock
      code={code}
      language={language}
      growing={false}
      tool={<Tool icon={Workflow} label={text('ui.diagram.showDiagram')} onPress={() => setSource(false)} />}
    />
  );
}

/** A mermaid diagram as a picture, with its source on demand; its source alone where there are no pictures. */
export function MarkdownDiagram(props: DiagramProps) {
  const pictures = usePictures();
  if (!pictures) return <CodeBlock {...props} growing={false} />;
  if (props.code.length > maxDiagramLength)
    return <CodeBlock {...props} growing={false} note={text('ui.diagram.too-large')} />;
  return <Drawing {...props} draw={pictures.drawDiagram} />;
}
