/** A reply with every kind of content. */
export const richReply = `A stream is **back-pressured** when the writer waits for the reader. Three things decide it:

1. the high water mark, 16 kB by default
2. whether \`write()\` returned \`false\`
3. who listens for \`drain\`

| call | waits | use it for |
|---|---|---|
| \`pipe\` | yes | two streams, no errors to handle |
| \`pipeline\` | yes | everything else |
| \`write\` in a loop | no | nothing |

The time it takes is $t = \\frac{n}{\\min(r, w)}$, so the slower side decides.

> Measure before you raise the mark: a larger buffer only hides the slower side.

See the [stream handbook](https://nodejs.org/api/stream.html) for the rest.
`;

/** TypeScript of `lines` lines, some of them too wide for the column. */
export function longCode(lines: number): string {
  const body = Array.from({ length: lines }, (_, at) =>
    at % 7 === 3
      ? `  const row${at} = await readRow(database, { table: 'events', from: ${at * 100}, to: ${at * 100 + 99}, order: 'ascending' });`
      : `  if (row${at - (at % 7)}.seq > ${at}) total += weigh(row${at - (at % 7)}, 'part ${at}'); // ${at}`,
  );
  return `Here is the whole of it:\n\n\`\`\`ts\nexport async function replay(database: Database): Promise<number> {\n  let total = 0;\n${body.join('\n')}\n  return total;\n}\n\`\`\`\n\nIt reads in pieces of a hundred rows.`;
}

export const rightToLeft = {
  question: 'كيف أبحث عن الملفات المكررة في مجلد docs؟',
  reply: `يمكنك المقارنة **بالحجم** أولاً ثم بالمحتوى:

1. اجمع الملفات حسب الحجم
2. احسب \`sha256\` لما تبقى
3. اعرض المجموعات

| المجلد | عدد النسخ |
|---|---|
| docs/archive | 3 |

\`\`\`sh
find docs -type f -size +0 | sort
\`\`\`

والآن بالعبرية: אפשר להשוות קבצים לפי תוכן.`,
};

/** A line of input of about 200 kB, without repeating itself exactly. */
export const hugeMessage = Array.from(
  { length: 2_600 },
  (_, at) => `${at + 1}: the quick brown fox jumps over the lazy dog, and again, ${at * 7}`,
).join('\n');
