import { visibleControls } from '#shared/direction-controls';
import { Fragment, memo, useEffect, useMemo, useState, type ReactNode } from 'react';
import { chunkCode, type CodeChunk } from './code-chunks';
import {
  languageOf,
  loadedHighlight,
  loadHighlight,
  type Highlight,
  type Highlighted,
} from './code-highlight';
import { runWhenIdle } from './code-idle';
import { useGrowingCount } from './markdown-growth';

/** The colour of each grammar scope; other scopes keep the text colour. */
const colourClasses: readonly (readonly [RegExp, string])[] = [
  [/hljs-(comment|quote)/, 'text-syntax-comment italic'],
  [/hljs-(keyword|selector-tag|meta-keyword|doctag|section|link)\b/, 'text-syntax-keyword'],
  [/hljs-(string|regexp|addition|char|template-variable)\b/, 'text-syntax-string'],
  [/hljs-(number|literal|symbol|bullet)\b/, 'text-syntax-number'],
  [/hljs-title.*class_|hljs-(type|built_in|class|tag|name)\b/, 'text-syntax-type'],
  [/hljs-(title|function|selector-id|selector-class)/, 'text-syntax-function'],
  [/hljs-(variable|attr|attribute|property|params|deletion)\b/, 'text-syntax-variable'],
  [/hljs-meta\b/, 'text-syntax-comment'],
  [/hljs-emphasis/, 'italic'],
  [/hljs-strong/, 'font-semibold'],
];

function colourClassOf(className: unknown): string | undefined {
  const scopes = Array.isArray(className) ? className.join(' ') : '';
  return colourClasses.find(([rule]) => rule.test(scopes))?.[1];
}

function toNodes(children: Highlighted): ReactNode {
  return children.map((child, index) => {
    if (child.type === 'text') return <Fragment key={index}>{child.value}</Fragment>;
    if (child.type !== 'element') return null;
    return (
      <span key={index} className={colourClassOf(child.properties.className)}>
        {toNodes(child.children)}
      </span>
    );
  });
}

/**
 * Chunks up to this length, and the growing one, are coloured immediately; others when the window is idle.
 */
const atOnce = 1_200;

interface ChunkProps {
  readonly chunk: CodeChunk;
  readonly highlight: Highlight | null;
  /** Whether each line has its number beside it. */
  readonly numbered: boolean;
}

const Chunk = memo(function Chunk({ chunk, highlight, numbered }: ChunkProps) {
  const { text, growing } = chunk;
  const now = growing || text.length <= atOnce;
  const [idle, setIdle] = useState<{ text: string; nodes: Highlighted | undefined }>();
  useEffect(() => {
    if (now || !highlight) return undefined;
    return runWhenIdle(() => setIdle({ text, nodes: highlight(text) }));
  }, [now, text, highlight]);
  const nodes = useMemo(() => (now && highlight ? highlight(text) : undefined), [now, text, highlight]);
  const coloured = nodes ?? (idle?.text === text ? idle.nodes : undefined);
  if (numbered) return <NumberedLines chunk={chunk} coloured={coloured} />;
  // An empty line keeps its height and stays in copied text.
  return <div>{coloured ? toNodes(coloured) : text === '' ? '\n' : text}</div>;
}, sameChunk);

function sameChunk(a: ChunkProps, b: ChunkProps): boolean {
  return (
    a.chunk.text === b.chunk.text &&
    a.chunk.line === b.chunk.line &&
    a.chunk.growing === b.chunk.growing &&
    a.highlight === b.highlight &&
    a.numbered === b.numbered
  );
}

/**
 * The lines of a chunk, each with its number beside its first visual line. The number is drawn from an attribute,
 * so neither a search nor a copy finds it.
 */
function NumberedLines({ chunk, coloured }: { chunk: CodeChunk; coloured: Highlighted | undefined }) {
  const lines = coloured
    ? nodeLines(coloured)
    : chunk.text.split('\n').map((line) => (line === '' ? [] : [line]));
  return (
    <div>
      {lines.map((line, at) => (
        <div
          key={at}
          data-line={chunk.line + at}
          className="numbers relative before:absolute before:end-full before:me-[calc(1.25rem+1px)] before:whitespace-nowrap before:text-muted before:content-none in-data-wrapped:before:content-[attr(data-line)]"
        >
          {line.length === 0 ? '\n' : line}
        </div>
      ))}
    </div>
  );
}

function useHighlight(language: string): Highlight | null {
  const [loaded, setLoaded] = useState<{ language: string; highlight: Highlight | null }>();
  useEffect(() => {
    let wanted = true;
    void loadHighlight(language).then((highlight) => {
      if (wanted) setLoaded({ language, highlight });
    });
    return () => {
      wanted = false;
    };
  }, [language]);
  const known = loadedHighlight(language);
  return known ?? (loaded?.language === language ? loaded.highlight : null);
}

interface CodeTextProps {
  readonly code: string;
  readonly fence: string;
  /** More of the code is still to come. */
  readonly growing: boolean;
  /** Gives each line a number, to the left of the code, which an ancestor with `data-wrapped` shows. */
  readonly numbered?: boolean;
}

/** Highlighted code; what would draw it in another order is visible. */
export function CodeText({ code, fence, growing, numbered = false }: CodeTextProps) {
  const highlight = useHighlight(languageOf(fence));
  const chunks = useMemo(() => chunkCode(visibleControls(code), growing), [code, growing]);
  const count = useGrowingCount(chunks.length, 8);
  // Numbers change no line's place, so they can come a few chunks at a time.
  const numberedCount = useGrowingCount(numbered ? chunks.length : 0, 8);
  return chunks
    .slice(0, count)
    .map((chunk, index) => (
      <Chunk key={index} chunk={chunk} highlight={highlight} numbered={index < numberedCount} />
    ));
}

/** The coloured nodes of a highlighted text, one list per line. */
function nodeLines(children: Highlighted): readonly ReactNode[][] {
  const lines: ReactNode[][] = [[]];
  const add = (value: string, colour: string | undefined): void => {
    value.split('\n').forEach((part, at) => {
      if (at > 0) lines.push([]);
      const line = lines.at(-1);
      if (part === '' || !line) return;
      line.push(
        colour === undefined ? (
          part
        ) : (
          <span key={line.length} className={colour}>
            {part}
          </span>
        ),
      );
    });
  };
  const walk = (nodes: Highlighted, colour: string | undefined): void => {
    for (const node of nodes) {
      if (node.type === 'text') add(node.value, colour);
      else if (node.type === 'element')
        walk(node.children, colourClassOf(node.properties.className) ?? colour);
    }
  };
  walk(children, undefined);
  return lines;
}

/** The lines of a text with syntax colours; empty while the grammar loads, and for a text too long to colour. */
export function useCodeLines(lines: readonly string[], language: string): readonly ReactNode[][] {
  const highlight = useHighlight(languageOf(language));
  const code = visibleControls(lines.join('\n'));
  return useMemo(() => {
    const nodes = highlight?.(code);
    return nodes ? nodeLines(nodes) : [];
  }, [highlight, code]);
}
