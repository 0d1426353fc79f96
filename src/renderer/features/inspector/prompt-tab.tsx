import { ChevronRight, FileText, RotateCw } from 'lucide-react';
import type { PromptBlock, PromptPreview, PromptTool } from '#shared/prompt';
import type { Result } from '#shared/result';
import { text } from '../../locales/text';
import { CopyButton } from '../../ui/markdown/code-block';
import { ErrorCard } from '../../ui/error-card';
import { IconButton } from '../../ui/icon-button';
import { EmptyState } from './empty-state';
import { ImageRows, type ImageRowsProps } from './image-rows';
import { usePrompt } from './use-prompt';

export interface PromptTabProps {
  readonly loadPrompt: () => Promise<Result<PromptPreview>>;
  readonly loadImage: ImageRowsProps['loadImage'];
  readonly onCopy: (text: string) => void;
}

function Tokens({ tokens, total }: { tokens: number; total: number }) {
  const share = total === 0 ? 0 : Math.min(1, tokens / total);
  return (
    <span className="numbers flex shrink-0 items-center gap-2 text-xs text-muted">
      <span aria-hidden="true" className="h-1 w-14 overflow-hidden rounded-full bg-track">
        <span style={{ width: `${share * 100}%` }} className="block h-full rounded-full bg-accent" />
      </span>
      {text('shared.tokens', { count: tokens })}
    </span>
  );
}

const rowLook = 'flex items-center gap-2 px-2.5 py-1.5 text-sm';

function BlockRow({
  block,
  total,
  onCopy,
}: {
  block: PromptBlock;
  total: number;
  onCopy: (text: string) => void;
}) {
  return (
    <details className="group border-b border-line last:border-b-0">
      <summary
        className={`${rowLook} cursor-default list-none hover:bg-hover focus-visible:-outline-offset-2`}
      >
        <ChevronRight
          aria-hidden="true"
          className="size-3.5 shrink-0 text-muted group-open:rotate-(--quarter-turn)"
        />
        <span className="min-w-0 grow truncate">{block.source}</span>
        <Tokens tokens={block.tokens} total={total} />
      </summary>
      <div className="px-2.5 pb-2.5">
        <div className="flex justify-end">
          <CopyButton text={block.text} what={text('inspector.copy.block')} onCopy={onCopy} />
        </div>
        <pre
          dir="auto"
          tabIndex={0}
          aria-label={block.source}
          className="readable max-h-96 overflow-auto rounded-md border border-line bg-code px-3 py-2 font-mono text-xs whitespace-pre-wrap wrap-anywhere"
        >
          {block.text}
        </pre>
      </div>
    </details>
  );
}

function ToolRow({ tool, total }: { tool: PromptTool; total: number }) {
  return (
    <li className={`${rowLook} border-b border-line last:border-b-0`} title={tool.description}>
      <span className="readable min-w-0 grow truncate font-mono text-xs">{tool.name}</span>
      <Tokens tokens={tool.tokens} total={total} />
    </li>
  );
}

type PreviewProps = Pick<PromptTabProps, 'loadImage' | 'onCopy'> & { preview: PromptPreview };

function Preview({ preview, loadImage, onCopy }: PreviewProps) {
  const { blocks, images = [], tools, total, content } = preview;
  return (
    <>
      {blocks.length > 0 && (
        <div className="overflow-hidden rounded-lg border border-line">
          {blocks.map((block, index) => (
            <BlockRow key={`${block.source}-${index}`} block={block} total={total} onCopy={onCopy} />
          ))}
        </div>
      )}
      {images.length > 0 && content && (
        <>
          <h3 className="mt-5 mb-1.5 text-xs font-medium text-muted">{text('inspector.images.list')}</h3>
          <div className="overflow-hidden rounded-lg border border-line">
            <ImageRows snapshot={content.snapshot} images={images} loadImage={loadImage} />
          </div>
        </>
      )}
      {tools.length > 0 && (
        <>
          <h3 className="mt-5 mb-1.5 text-xs font-medium text-muted">{text('inspector.prompt.tools')}</h3>
          <ul className="overflow-hidden rounded-lg border border-line">
            {tools.map((tool) => (
              <ToolRow key={tool.name} tool={tool} total={total} />
            ))}
          </ul>
        </>
      )}
    </>
  );
}

type PromptBodyProps = Pick<PromptTabProps, 'loadImage' | 'onCopy'> & {
  result: Result<PromptPreview>;
  reload: () => void;
};

function PromptBody({ result, reload, ...actions }: PromptBodyProps) {
  if (!result.ok) return <ErrorCard error={result.error} onRetry={reload} />;
  const { blocks, tools } = result.value;
  if (blocks.length + tools.length > 0) return <Preview preview={result.value} {...actions} />;
  return (
    <EmptyState icon={FileText} title={text('inspector.prompt.nothingAdded')}>
      {text('inspector.prompt.onlyConversation')}
    </EmptyState>
  );
}

/** The prompt before the conversation: each block with its source and its cost. */
export function PromptTab({ loadPrompt, ...actions }: PromptTabProps) {
  const { result, reload } = usePrompt(loadPrompt);
  const total = result?.ok ? text('inspector.prompt.total', { count: result.value.total }) : '';
  return (
    <div className="px-4 pt-2 pb-8">
      <div className="mb-2 flex h-8 items-center">
        <p className="numbers grow text-sm text-muted">{total}</p>
        <IconButton icon={RotateCw} label={text('inspector.prompt.readAgain')} onClick={reload} />
      </div>
      {result && <PromptBody result={result} reload={reload} {...actions} />}
    </div>
  );
}
