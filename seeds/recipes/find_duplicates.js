const place = params.path === '.' ? 'the project folder' : `\`${fmt.fit(params.path, 30)}\``;
const unread = new Set();
let ignored = 0,
  files = 0,
  cursor;
const groups = [];
do {
  const page = await tools.project.find_duplicates({ path: params.path, ...(cursor && { cursor }) });
  files = page.files;
  ignored = page.skipped.ignored;
  for (const { path } of page.failed) unread.add(path);
  for (const { size, sha256, copies, paths } of page.groups)
    groups.push({
      size,
      sha256,
      paths,
      ...(copies > paths.length && { copies }),
      wastedBytes: size * (copies - 1),
    });
  cursor = page.nextCursor;
} while (cursor);
const many = ({ copies, paths }) => copies ?? paths.length;
groups.sort((a, b) => b.wastedBytes - a.wastedBytes || b.size - a.size || (a.paths[0] < b.paths[0] ? -1 : 1));
const copies = groups.reduce((sum, group) => sum + many(group) - 1, 0);
const wastedBytes = groups.reduce((sum, group) => sum + group.wastedBytes, 0);

const biggest = [];
for (let room = 360; biggest.length < Math.min(10, groups.length);) {
  const { size, paths, wastedBytes: wasted } = groups[biggest.length];
  const all = many(groups[biggest.length]);
  const shown = paths.slice(0, all > 3 ? 2 : 3).map((path) => fmt.fit(path, 24));
  if (all > shown.length) shown.push(`and ${all - shown.length} more`);
  const row = { files: shown.join(', '), copies: all, size: fmt.bytes(size), wasted: fmt.bytes(wasted) };
  room -= fmt.tokens(row.files) + 26;
  if (room < 0 && biggest.length > 0) break;
  biggest.push(row);
}
const notes = [];
if (unread.size > 0)
  notes.push(
    `${fmt.count(unread.size, 'file', 'files')} could not be read and ${unread.size === 1 ? 'is' : 'are'} not counted.`,
  );
if (ignored > 0) notes.push('What .gitignore leaves out was not looked at.');
if (groups.length > biggest.length)
  notes.unshift(
    `The ${biggest.length} most wasteful groups are shown; all ${groups.length} are in the attached list.`,
  );
if (groups.length > 0) await artifacts.write('duplicate-files.json', groups);
const headline =
  groups.length === 0
    ? `**No duplicate files** among ${fmt.count(files, 'file', 'files')} in ${place}.`
    : `**${fmt.count(groups.length, 'group', 'groups')} of identical files** in ${place}: ${fmt.count(copies, 'copy', 'copies')} could go, ${fmt.bytes(wastedBytes)}${wastedBytes < 1000 ? '' : ` (${wastedBytes} bytes)`} in all. ${fmt.count(files, 'file', 'files')} looked at.`;
return {
  summary: `${fmt.count(files, 'file', 'files')}, ${fmt.count(groups.length, 'group', 'groups')} of duplicates, ${fmt.count(copies, 'copy', 'copies')}, ${fmt.count(wastedBytes, 'byte', 'bytes')} wasted`,
  state: { files, groups: groups.length, copies, wastedBytes, headline, biggest, note: notes.join(' ') },
};
