import mermaidFile from '@mermaid-js/tiny/dist/mermaid.tiny.js?url';

// The page of the hidden window that draws diagrams. It has no bridge: main calls `drawDiagram` and reads the answer.

interface Mermaid {
  readonly initialize: (config: object) => void;
  readonly render: (id: string, source: string) => Promise<{ readonly svg: string }>;
}

type Answer =
  | { readonly png: string }
  | { readonly problem: 'syntax'; readonly line?: number }
  | { readonly problem: 'too-large' };

declare global {
  var mermaid: Mermaid | undefined;
  var diagramReady: Promise<boolean>;
  var drawDiagram: (source: string, dark: boolean) => Promise<Answer>;
}

/** Twice the size on the screen, for displays with small pixels. */
const scale = 2;
const maxSide = 8_000;

/** What a directive in a diagram's source cannot change. */
const secure = [
  'secure',
  'securityLevel',
  'startOnLoad',
  'maxTextSize',
  'maxEdges',
  'suppressErrorRendering',
  'htmlLabels',
  'flowchart',
  'class',
  'state',
  'themeCSS',
  'fontFamily',
  'altFontFamily',
];

const config = {
  startOnLoad: false,
  securityLevel: 'strict',
  suppressErrorRendering: true,
  htmlLabels: false,
  flowchart: { htmlLabels: false },
  class: { htmlLabels: false },
  fontFamily: 'sans-serif',
  maxTextSize: 20_000,
  maxEdges: 500,
  secure,
};

/** The picture's size in its own units. */
function sizeOf(svg: SVGElement): { width: number; height: number } {
  const [, , width = 0, height = 0] = (svg.getAttribute('viewBox') ?? '').split(/[\s,]+/).map(Number);
  return { width, height };
}

async function toPng(markup: string): Promise<Answer> {
  const svg = new DOMParser().parseFromString(markup, 'text/html').querySelector('svg');
  if (!svg) return { problem: 'syntax' };
  const { width, height } = sizeOf(svg);
  if (!(width > 0 && height > 0)) return { problem: 'syntax' };
  const factor = Math.min(scale, maxSide / width, maxSide / height);
  if (factor < 0.25) return { problem: 'too-large' };
  svg.setAttribute('width', String(width));
  svg.setAttribute('height', String(height));
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(svg))}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = Math.ceil(width * factor);
  canvas.height = Math.ceil(height * factor);
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return { png: canvas.toDataURL('image/png').slice('data:image/png;base64,'.length) };
}

function asProblem(fault: unknown): Answer {
  const line = /\bline (\d{1,6})/i.exec(String(fault))?.[1];
  return { problem: 'syntax', ...(line !== undefined && { line: Number(line) }) };
}

globalThis.diagramReady = new Promise((resolve) => {
  const script = document.createElement('script');
  script.src = mermaidFile;
  script.onload = () => resolve(true);
  script.onerror = () => resolve(false);
  document.head.append(script);
});

globalThis.drawDiagram = async (source, dark) => {
  try {
    globalThis.mermaid?.initialize({ ...config, theme: dark ? 'dark' : 'neutral' });
    const drawn = await globalThis.mermaid?.render('diagram', source);
    return drawn ? await toPng(drawn.svg) : { problem: 'syntax' };
  } catch (fault) {
    return asProblem(fault);
  }
};
