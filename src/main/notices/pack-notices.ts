import type { Notice } from '#shared/notice';
import type { PackStatus } from '../../core/control-plane/merge-seed-layers';

/** More findings than this belong on the command line, not in a notice. */
const maxShown = 5;

/** Joins the first few findings and counts the rest. */
export function joinFew(findings: readonly string[]): string {
  const more = findings.length - maxShown;
  return [...findings.slice(0, maxShown), ...(more > 0 ? [`And ${more} more.`] : [])].join(' ');
}

/** Reports which packs contribute nothing to this start, and why. */
export function packNotices(packs: readonly PackStatus[]): readonly Notice[] {
  return packs.flatMap(({ name, folder, disabled = [] }) => {
    if (disabled.length === 0) return [];
    const lines = disabled.map(({ file, field, rule, reason }) => {
      const where = file.startsWith(folder) ? file.slice(folder.length + 1) : file;
      return `${where || name}${field && ` ${field}`}: ${reason} (${rule})`;
    });
    return {
      id: `pack-${name}`,
      level: 'warning',
      title: `The pack "${name}" is switched off`,
      detail: joinFew(lines),
      hint: `Fix the files in ${folder}, or remove that folder, then restart Patina.`,
    };
  });
}
