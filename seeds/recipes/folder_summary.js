const place = params.path === '.' ? 'the project folder' : `\`${fmt.fit(params.path, 30)}\``;
const unread = new Set();
let ignored = 0,
  cursor;
const eachFile = async (use) => {
  do {
    const page = await tools.project.list_files({
      path: params.path,
      limit: 20000,
      ...(cursor && { cursor }),
    });
    page.files.forEach(use);
    for (const { path } of page.failed) unread.add(path);
    ignored = page.skipped.ignored;
    cursor = page.nextCursor;
  } while (cursor);
};
const types = new Map();
let files = 0,
  bytes = 0;
let largest = [];
const keepLargest = () => {
  largest.sort((a, b) => b.size - a.size || (a.path < b.path ? -1 : 1));
  largest = largest.slice(0, 5);
};
await eachFile(({ path, size }) => {
  files += 1;
  bytes += size;
  const name = path.slice(path.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  const type = dot > 0 && dot < name.length - 1 ? name.slice(dot).toLowerCase() : '(none)';
  const row = types.get(type) ?? { type, files: 0, bytes: 0 };
  row.files += 1;
  row.bytes += size;
  types.set(type, row);
  largest.push({ path, size });
  if (largest.length > 500) keepLargest();
});
keepLargest();
const rows = [...types.values()].sort(
  (a, b) => b.bytes - a.bytes || b.files - a.files || (a.type < b.type ? -1 : 1),
);
const share = (part) => (bytes === 0 ? '0 %' : `${((100 * part) / bytes).toFixed(1)} %`);
const byType = [];
for (let room = 190; byType.length < rows.length;) {
  const row = rows[byType.length];
  const type = fmt.fit(row.type, 12);
  room -= fmt.tokens(type) + 24;
  if (room < 0) break;
  byType.push({ type, files: row.files, size: fmt.bytes(row.bytes), share: share(row.bytes) });
}
if (byType.length < rows.length) {
  const rest = rows.slice(byType.length);
  const size = rest.reduce((sum, row) => sum + row.bytes, 0);
  byType.push({
    type: fmt.count(rest.length, 'other type', 'other types'),
    files: rest.reduce((sum, row) => sum + row.files, 0),
    size: fmt.bytes(size),
    share: share(size),
  });
}
const largestFiles = largest
  .slice(0, 3)
  .map(({ path, size }) => ({ file: fmt.fit(path, 20), size: fmt.bytes(size) }));
const notes = [];
if (unread.size > 0)
  notes.push(
    `${fmt.count(unread.size, 'file', 'files')} could not be read and ${unread.size === 1 ? 'is' : 'are'} not counted.`,
  );
if (ignored > 0) notes.push('What .gitignore leaves out was not looked at.');
if (files > 0) await artifacts.write('file-types.json', rows);
const headline =
  files === 0
    ? `**There are no files** in ${place}.`
    : `**${fmt.count(files, 'file', 'files')} of ${fmt.count(rows.length, 'type', 'types')}** in ${place}, ${fmt.bytes(bytes)}${bytes < 1000 ? '' : ` (${bytes} bytes)`} in all.`;
return {
  summary: `${fmt.count(files, 'file', 'files')}, ${fmt.count(rows.length, 'type', 'types')}, ${fmt.count(bytes, 'byte', 'bytes')}`,
  state: {
    files,
    types: rows.length,
    bytes,
    headline,
    byType,
    largestTitle: files === 0 ? '' : 'Largest files:',
    largestFiles,
    note: notes.join(' '),
  },
};
