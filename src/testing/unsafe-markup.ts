const forbidden =
  'script, img, iframe, object, embed, style, link, meta, form, base, video, audio, source, picture, input, dialog, template';

const requesting = [
  'src',
  'srcset',
  'action',
  'formaction',
  'data',
  'xlink:href',
  'ping',
  'background',
  'poster',
];

function isHarmful({ name, value }: Attr): boolean {
  if (name.startsWith('on') || requesting.includes(name)) return true;
  if (name === 'href') return !/^https?:\/\/[a-z0-9.-]+(\/|$)/.test(value);
  return name === 'style' && /url|fixed|expression/i.test(value);
}

/** Finds everything in rendered untrusted text that could run, load or mislead; empty when it is harmless. */
export function findUnsafeMarkup(root: Element): string[] {
  const elements = [...root.querySelectorAll(forbidden)].map((element) => element.tagName);
  const attributes = [...root.querySelectorAll('*')].flatMap((element) =>
    [...element.attributes].filter(isHarmful),
  );
  return [...elements, ...attributes.map(({ name, value }) => `${name}=${value}`)];
}
