import { answerOf, exportMarkdown } from '#shared/export-markdown';
import { ledgerOf } from '#shared/ledger';
import { escapeHtml, markdownToHtml } from '#shared/markdown/to-html';
import { offlineProviderId } from '#shared/model';
import { readNext } from '#shared/read-path';
import type { SessionEvent } from '#shared/session-event';
import { sessionFileFormat, type ExportFormat } from '#shared/session-file';
import type { SessionState, Turn } from '#shared/session-state';
import { activePath, parentOf, siblingsIn } from '#shared/turn-tree';

/** A session as JSON: the numbers of the active path, and every turn with its place in the tree. */
export function sessionDocument(state: SessionState) {
  const { blocks, queue, ...head } = state;
  const siblings = siblingsIn(state);
  const { compaction, covered } = readNext(state);
  return {
    ...head,
    path: activePath(state).map(({ turn }) => turn),
    turns: blocks.flat().map((turn) => ({
      ...turn,
      parent: parentOf(turn),
      siblings: siblings.get(turn.turn) ?? { lines: [turn.turn], replies: [turn.turn] },
    })),
    queue: queue?.lines ?? [],
    compacted: compaction && { ...compaction, covered },
  };
}

/** A session as a file that Patina can import again: what people read, and all stored events. */
const sessionFile = (state: SessionState, events: readonly SessionEvent[]) => ({
  patina: sessionFileFormat,
  ...sessionDocument(state),
  events,
});

const style = `
:root { color-scheme: light dark; --line: #d9d7d2; --muted: #6b6963; --code: #f4f3f0; --accent: #17736b; }
@media (prefers-color-scheme: dark) { :root { --line: #3b3a37; --muted: #a09d96; --code: #242321; --accent: #6fc3b8; } }
body { font: 15px/1.6 system-ui, sans-serif; max-width: 760px; margin: 40px auto; padding: 0 20px; overflow-wrap: anywhere; }
h1 { font-size: 22px; margin-bottom: 4px; }
.note, .when, .thinking { color: var(--muted); font-size: 13px; }
.turn { border-top: 1px solid var(--line); margin-top: 28px; padding-top: 12px; break-inside: avoid-page; }
.who { font-weight: 600; margin: 16px 0 4px; }
.line { white-space: pre-wrap; }
a { color: var(--accent); }
pre { background: var(--code); border: 1px solid var(--line); border-radius: 8px; padding: 12px; overflow-x: auto; }
code { font: 13px/1.5 ui-monospace, monospace; }
table { border-collapse: collapse; display: block; overflow-x: auto; }
td, th { border: 1px solid var(--line); padding: 4px 10px; text-align: start; }
blockquote { border-inline-start: 3px solid var(--line); margin: 12px 0; padding-inline-start: 14px; color: var(--muted); }
.task-item { list-style: none; margin-inline-start: -1.2em; }
.failed { color: #b3261e; }
`;

const timeOf = (at: number): string => {
  const iso = new Date(at).toISOString();
  return `<time datetime="${iso}">${iso.slice(0, 16).replace('T', ' ')} UTC</time>`;
};

/** What was attached to a line. */
function attachedHtml({ items = [] }: Turn): string {
  if (items.length === 0) return '';
  const rows = items.map(
    ({ ref, kind, bytes }) => `<li>Attached: <code>${escapeHtml(ref)}</code> ${kind}, ${bytes} bytes</li>`,
  );
  return `<ul class="note">\n${rows.join('\n')}\n</ul>`;
}

/** The writes of a run, as the host recorded them. */
function writesHtml(turn: Turn): string {
  const ledger = turn.run ? ledgerOf(turn.run) : [];
  if (ledger.length === 0) return '';
  const rows = ledger.map(
    ({ outcome, tool, target }) =>
      `<li>${outcome}: <code>${escapeHtml(tool)}</code> ${escapeHtml(target)}</li>`,
  );
  return `<ul class="note">\n${rows.join('\n')}\n</ul>`;
}

/** Who answered: the model and its provider, or the host. */
function answererOf({ run, reply }: Turn): string {
  if (run) return 'Patina (Agent Mode)';
  const provider = reply?.providerName || 'Patina';
  return reply && reply.model.providerId !== offlineProviderId
    ? `${reply.model.model} (${provider})`
    : provider;
}

/** What the model thought, folded. */
function thinkingHtml({ reply }: Turn): string {
  if (!reply?.thinking) return '';
  const { text, ms } = reply.thinking;
  const seconds = Math.max(1, Math.round(ms / 1_000));
  return `<details class="thinking"><summary>Thought for ${seconds} s</summary>\n<div class="line" dir="auto">${escapeHtml(text)}</div></details>`;
}

function turnHtml(turn: Turn): string {
  return [
    `<section class="turn" id="turn-${turn.turn}">`,
    `<p class="who">You <span class="when">${timeOf(turn.at)}</span></p>`,
    `<div class="line" dir="auto">${escapeHtml(turn.text)}</div>`,
    attachedHtml(turn),
    `<p class="who">${escapeHtml(answererOf(turn))}</p>`,
    thinkingHtml(turn),
    `<div class="reply">${markdownToHtml(answerOf(turn))}</div>`,
    writesHtml(turn),
    '</section>',
  ].join('\n');
}

/** The active path as one HTML file without scripts, which loads nothing from anywhere. */
function sessionHtml(state: SessionState): string {
  const path = activePath(state);
  const title = escapeHtml(state.title || 'Untitled');
  const lost = (state.gaps ?? []).reduce((sum, { fromSeq, toSeq }) => sum + toSeq - fromSeq + 1, 0);
  const notes = [
    ...(path.length < state.turnCount
      ? [`One of several branches: turns ${path.map(({ turn }) => turn + 1).join(', ')} (counted from 1).`]
      : []),
    ...(lost > 0 ? [`${lost} stored events could not be read.`] : []),
  ];
  return [
    '<!doctype html>',
    '<html>',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${title}</title>`,
    `<style>${style}</style>`,
    '</head>',
    '<body>',
    `<h1 dir="auto">${title}</h1>`,
    ...notes.map((note) => `<p class="note">${note}</p>`),
    ...path.map(turnHtml),
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

/**
 * A session as the text of a file: `md` and `html` for people, with the path to the head; `json` for machines and
 * for the import, with every turn and event.
 */
export function exportSession(
  state: SessionState,
  events: readonly SessionEvent[],
  format: ExportFormat,
): string {
  if (format === 'md') return `${exportMarkdown(state)}\n`;
  if (format === 'html') return sessionHtml(state);
  return `${JSON.stringify(sessionFile(state, events), null, 2)}\n`;
}
