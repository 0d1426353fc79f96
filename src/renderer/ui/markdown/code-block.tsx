import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { text } from '../../locales/text';
import { CodeText } from './code-text';
import { useMarkdownActions } from './markdown-context';

const copiedMs = 1_600;

/** A button that copies a text and confirms it briefly. */
export function CopyButton({
  text: copiedText,
  what,
  onCopy,
}: {
  text: string;
  what: string;
  onCopy: (text: string) => void;
}) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return undefined;
    const timer = setTimeout(() => setCopied(false), copiedMs);
    return () => clearTimeout(timer);
  }, [copied]);
  const Icon = copied ? Check : Copy;
  return (
    <button
      type="button"
      aria-label={copied ? text('shared.copied') : text('ui.code.copy', { what })}
      className="flex h-6 items-center gap-1.5 rounded-md px-1.5 text-xs text-muted hover:bg-hover hover:text-text"
      onClick={() => {
        onCopy(copiedText);
        setCopied(true);
      }}
    >
      <Icon aria-hidden="true" className="size-3.5" />
      <span>{text(copied ? 'shared.copied' : 'shared.copy')}</span>
    </button>
  );
}

export interface CodeBlockProps {
  readonly code: string;
  /** The info string of the fence: a language name, perhaps with attributes. */
  readonly language: string;
  /** More code is still to come. */
  readonly growing: boolean;
}

/** A code block with its language and a copy button; it scrolls horizontally on its own, also by keyboard. */
export function CodeBlock({ code, language, growing }: CodeBlockProps) {
  const { onCopy } = useMarkdownActions();
  const label = /^\S{1,40}/.exec(language.trim())?.[0] ?? text('ui.code.text');
  return (
    <figure
      aria-label={text('ui.code.block', { language: label })}
      dir="ltr"
      className="my-3 overflow-hidden rounded-lg border border-line bg-code"
    >
      <figcaption className="flex h-8 items-center border-b border-line ps-3 pe-1 font-sans text-xs text-muted">
        <span className="grow truncate">{label}</span>
        <CopyButton text={code} what={text('ui.code.code')} onCopy={onCopy} />
      </figcaption>
      <pre
        tabIndex={0}
        aria-label={text('ui.code.block', { language: label })}
        className="overflow-x-auto px-3 py-2.5 font-mono text-sm [tab-size:4]"
      >
        <code className="block w-max min-w-full">
          <CodeText code={code} fence={language} growing={growing} />
        </code>
      </pre>
    </figure>
  );
}
