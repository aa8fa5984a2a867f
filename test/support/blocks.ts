/** Replaces the lines between `<!-- name -->` and `<!-- /name -->`. In code files, these marks stand in comments. */
export function withBlock(text: string, name: string, block: string): string {
  const parts = new RegExp(`^([\\s\\S]*<!-- ${name} -->\n)[\\s\\S]*?\n?(.*<!-- /${name} -->[\\s\\S]*)$`).exec(text);
  if (!parts) throw new Error(`A document has no block ${name}.`);
  return `${parts[1]}${block}\n${parts[2]}`;
}
