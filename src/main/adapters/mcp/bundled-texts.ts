/**
 * What a model reads of the bundled filesystem server's tools, in place of the package's own words: shorter, and
 * with the form of the text that each returns.
 */
const filesystem: Readonly<Record<string, string>> = {
  create_directory: '',
  directory_tree: 'Tree as JSON text.',
  edit_file: 'Replaces exact texts; dryRun only gives the diff.',
  get_file_info: 'Lines such as size: 12.',
  list_allowed_directories: 'Folders within reach.',
  list_directory: 'Lines of [FILE] name or [DIR] name.',
  list_directory_with_sizes: '',
  move_file: '',
  read_file: 'Old name of read_text_file.',
  read_media_file: 'Image or audio as base64.',
  read_multiple_files: 'Texts, each under its path.',
  read_text_file: 'Text, or its first or last lines.',
  search_files: 'Full paths, one per line.',
  write_file: 'Creates or replaces.',
};

/** The text about a bundled server's tool; undefined where the server's own words are used. */
export function bundledText(bundled: string | undefined, tool: string): string | undefined {
  return bundled === 'filesystem' && Object.hasOwn(filesystem, tool) ? filesystem[tool] : undefined;
}
