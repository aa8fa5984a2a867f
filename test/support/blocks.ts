/** Replaces the text between `<!-- name -->` and `<!-- /name -->`. */
export function withBlock(text: string, name: string, block: string): string {
  const [start, end] = [`<!-- ${name} -->\n`, `<!-- /${name} -->`];
  const [from, to] = [text.indexOf(start), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`A document has no block ${start}${end}`);
  return `${text.slice(0, from)}${start}${block}\n${text.slice(to)}`;
}
