import {
  Check,
  ChevronsDownUp,
  ChevronsUpDown,
  Copy,
  Download,
  FilePen,
  WrapText,
  type LucideIcon,
} from 'lucide-react';
import { useEffect, useMemo, useState, type ReactNode } from 'react';
import { classNames } from '../class-names';
import { text } from '../../locales/text';
import { CodeText } from './code-text';
import { useMarkdownActions, useSaveText, useWriteCode } from './markdown-context';

const copiedMs = 1_600;
const buttonLook =
  'flex h-6 items-center gap-1.5 rounded-md px-1.5 text-xs text-muted hover:bg-hover hover:text-text aria-pressed:text-accent-text';

/** A button that copies a text and confirms it briefly. */
export function CopyButton({
  text: copiedText,
  what,
  label,
  onCopy,
}: {
  /** The text, or what makes it when the button is pressed. */
  text: string | (() => string);
  what: string;
  /** What the button says; by default that it copies. */
  label?: string;
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
      className={buttonLook}
      onClick={() => {
        onCopy(typeof copiedText === 'string' ? copiedText : copiedText());
        setCopied(true);
      }}
    >
      <Icon aria-hidden="true" className="size-3.5" />
      <span>{copied ? text('shared.copied') : (label ?? text('shared.copy'))}</span>
    </button>
  );
}

/** A button in the caption of a block. */
export function Tool(props: {
  readonly icon: LucideIcon;
  readonly label: string;
  readonly pressed?: boolean;
  readonly onPress: () => void;
}) {
  const { icon: Icon, label, pressed, onPress } = props;
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      aria-pressed={pressed}
      className={buttonLook}
      onClick={onPress}
    >
      <Icon aria-hidden="true" className="size-3.5" />
    </button>
  );
}

/** Extensions of the languages that models write most; another language is saved as text. */
const extensions: Readonly<Record<string, string>> = {
  bash: 'sh',
  c: 'c',
  'c++': 'cpp',
  cpp: 'cpp',
  csharp: 'cs',
  css: 'css',
  csv: 'csv',
  diff: 'diff',
  go: 'go',
  html: 'html',
  java: 'java',
  javascript: 'js',
  js: 'js',
  json: 'json',
  jsx: 'jsx',
  kotlin: 'kt',
  markdown: 'md',
  md: 'md',
  php: 'php',
  py: 'py',
  python: 'py',
  rb: 'rb',
  ruby: 'rb',
  rs: 'rs',
  rust: 'rs',
  sh: 'sh',
  shell: 'sh',
  sql: 'sql',
  svg: 'svg',
  swift: 'swift',
  toml: 'toml',
  ts: 'ts',
  tsx: 'tsx',
  typescript: 'ts',
  xml: 'xml',
  yaml: 'yaml',
  yml: 'yml',
};

const fileNameOf = (language: string): string => {
  const name = language.toLowerCase();
  return `code.${(Object.hasOwn(extensions, name) ? extensions[name] : undefined) ?? 'txt'}`;
};

/** Shorter code needs neither line numbers nor a way to fold it. */
const longFrom = 12;

/**
 * The column of the line numbers, drawn from one attribute: thousands of lines cost one node, and neither a search
 * nor a copy finds them. Wrapped lines bring their numbers along, so that the column is only as wide as the last.
 */
function LineNumbers({ count, wrapped }: { readonly count: number; readonly wrapped: boolean }) {
  const numbers = useMemo(
    () => (wrapped ? String(count) : Array.from({ length: count }, (_, at) => at + 1).join('\n')),
    [count, wrapped],
  );
  return (
    <span
      aria-hidden="true"
      data-numbers={numbers}
      className={classNames(
        'numbers sticky start-0 shrink-0 border-e border-line bg-code pe-2 text-end text-muted select-none before:whitespace-pre before:content-[attr(data-numbers)]',
        wrapped && 'before:invisible',
      )}
    />
  );
}

export interface CodeBlockProps {
  readonly code: string;
  /** The info string of the fence: a language name, perhaps with attributes. */
  readonly language: string;
  /** More code is still to come. */
  readonly growing: boolean;
  /** A further button of the caption. */
  readonly tool?: ReactNode;
  /** One line below the code, such as why it is not drawn. */
  readonly note?: string;
}

interface LongCodeProps {
  readonly folded: boolean;
  readonly onFold: () => void;
}

const FoldButton = ({ folded, onFold }: LongCodeProps) => (
  <Tool
    icon={folded ? ChevronsUpDown : ChevronsDownUp}
    label={text(folded ? 'ui.code.unfold' : 'ui.code.fold')}
    onPress={onFold}
  />
);

function SaveButton({ label, code }: { readonly label: string; readonly code: string }) {
  const saveText = useSaveText();
  if (!saveText) return null;
  return (
    <Tool icon={Download} label={text('ui.code.save')} onPress={() => saveText(fileNameOf(label), code)} />
  );
}

function WriteButton({ fence, code }: { readonly fence: string; readonly code: string }) {
  const writeCode = useWriteCode();
  if (!writeCode) return null;
  return <Tool icon={FilePen} label={text('ui.code.write')} onPress={() => writeCode(code, fence)} />;
}

interface CodeLinesProps extends Pick<CodeBlockProps, 'code' | 'language' | 'growing'> {
  readonly label: string;
  readonly count: number;
  readonly wrapped: CodeLook['wrapped'];
}

/** The code itself; long code has line numbers. */
function CodeLines({ code, language, growing, label, count, wrapped }: CodeLinesProps) {
  const long = count >= longFrom;
  return (
    <pre
      tabIndex={0}
      aria-label={text('ui.code.block', { language: label })}
      className="flex gap-3 overflow-x-auto px-3 py-2.5 font-mono text-sm [tab-size:4]"
    >
      {long && <LineNumbers count={count} wrapped={wrapped === true} />}
      <code
        data-wrapped={wrapped ? '' : undefined}
        className={wrapped ? 'block min-w-0 flex-1 whitespace-pre-wrap wrap-anywhere' : 'block w-max grow'}
      >
        <CodeText code={code} fence={language} growing={growing} numbered={long && wrapped !== undefined} />
      </code>
    </pre>
  );
}

interface CodeLook {
  /** Undefined until the user first wraps the code. */
  readonly wrapped: boolean | undefined;
  readonly folded: boolean;
}

/** What the user chose for some code; a block that is scrolled away and back is mounted again. */
const chosenLooks = new Map<string, CodeLook>();
const maxChosenLooks = 200;

function useCodeLook(code: string) {
  const [look, setLook] = useState(() => chosenLooks.get(code) ?? { wrapped: undefined, folded: false });
  const change = (changes: Partial<CodeLook>) => {
    const next = { ...look, ...changes };
    const [oldest] = chosenLooks.keys();
    if (oldest !== undefined && chosenLooks.size >= maxChosenLooks) chosenLooks.delete(oldest);
    chosenLooks.set(code, next);
    setLook(next);
  };
  return [look, change] as const;
}

/**
 * A code block with its language: it can be copied, saved, written to a file of the project, wrapped and, when it
 * is long, folded. It scrolls horizontally on its own, also by keyboard.
 */
export function CodeBlock({ code, language, growing, tool, note }: CodeBlockProps) {
  const { onCopy } = useMarkdownActions();
  const [{ wrapped, folded }, changeLook] = useCodeLook(code);
  const label = /^\S{1,40}/.exec(language.trim())?.[0] ?? text('ui.code.text');
  const lines = useMemo(() => code.split('\n').length, [code]);
  const long = lines >= longFrom;
  return (
    <figure
      aria-label={text('ui.code.block', { language: label })}
      dir="ltr"
      className="my-3 overflow-hidden rounded-lg border border-line bg-code"
    >
      <figcaption className="flex h-8 items-center border-b border-line ps-3 pe-1 font-sans text-xs text-muted">
        <span className="numbers grow truncate">
          {folded ? text('ui.code.folded', { language: label, count: lines }) : label}
        </span>
        {tool}
        {long && <FoldButton folded={folded} onFold={() => changeLook({ folded: !folded })} />}
        <Tool
          icon={WrapText}
          label={text('ui.code.wrap')}
          pressed={wrapped === true}
          onPress={() => changeLook({ wrapped: !wrapped })}
        />
        {!growing && <WriteButton fence={language} code={code} />}
        {!growing && <SaveButton label={label} code={code} />}
        <CopyButton text={code} what={text('ui.code.code')} onCopy={onCopy} />
      </figcaption>
      {!folded && (
        <CodeLines
          code={code}
          language={language}
          growing={growing}
          label={label}
          count={lines}
          wrapped={wrapped}
        />
      )}
      {note !== undefined && (
        <p role="note" dir="auto" className="border-t border-line px-3 py-1.5 font-sans text-xs text-muted">
          {note}
        </p>
      )}
    </figure>
  );
}
