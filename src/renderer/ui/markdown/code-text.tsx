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

const Chunk = memo(function Chunk({ chunk, highlight }: { chunk: CodeChunk; highlight: Highlight | null }) {
  const { text, growing } = chunk;
  const now = growing || text.length <= atOnce;
  const [idle, setIdle] = useState<{ text: string; nodes: Highlighted | undefined }>();
  useEffect(() => {
    if (now || !highlight) return undefined;
    return runWhenIdle(() => setIdle({ text, nodes: highlight(text) }));
  }, [now, text, highlight]);
  const nodes = useMemo(() => (now && highlight ? highlight(text) : undefined), [now, text, highlight]);
  const coloured = nodes ?? (idle?.text === text ? idle.nodes : undefined);
  // An empty line keeps its height and stays in copied text.
  return <div>{coloured ? toNodes(coloured) : text === '' ? '\n' : text}</div>;
}, sameChunk);

function sameChunk(a: { chunk: CodeChunk; highlight: Highlight | null }, b: typeof a): boolean {
  return a.chunk.text === b.chunk.text && a.chunk.growing === b.chunk.growing && a.highlight === b.highlight;
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

/** Highlighted code; `growing` while more of it is still to come. */
export function CodeText({ code, fence, growing }: { code: string; fence: string; growing: boolean }) {
  const highlight = useHighlight(languageOf(fence));
  const chunks = useMemo(() => chunkCode(code, growing), [code, growing]);
  const count = useGrowingCount(chunks.length, 8);
  return chunks
    .slice(0, count)
    .map((chunk, index) => <Chunk key={index} chunk={chunk} highlight={highlight} />);
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
        <span key={line.length} className={colour}>
          {part}
        </span>,
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
  const code = lines.join('\n');
  return useMemo(() => {
    const nodes = highlight?.(code);
    return nodes ? nodeLines(nodes) : [];
  }, [highlight, code]);
}
