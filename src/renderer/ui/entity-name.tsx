import { classNames } from './class-names';
import { shortText } from './short-text';

const shownLength = 200;

export interface EntityNameProps {
  readonly text: string;
  readonly className?: string;
}

/**
 * A name from a catalog, a file or a server; bidi isolation keeps its direction from affecting the text
 * around it.
 */
export function EntityName({ text, className }: EntityNameProps) {
  return (
    <bdi
      title={text.length > 40 ? shortText(text, 2_000) : undefined}
      className={classNames('min-w-0', className)}
    >
      {shortText(text, shownLength)}
    </bdi>
  );
}
