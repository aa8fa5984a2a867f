/** Returns the strongly connected components of two or more nodes (Tarjan's algorithm). */
export function stronglyConnected(edges: readonly (readonly [string, string])[]): string[][] {
  const targets = Map.groupBy(edges, ([from]) => from);
  const seen = new Map<string, { order: number; lowest: number }>();
  const open: string[] = [];
  const circles: string[][] = [];

  const visit = (node: string): { order: number; lowest: number } => {
    const mark = { order: seen.size, lowest: seen.size };
    seen.set(node, mark);
    open.push(node);
    for (const [, target] of targets.get(node) ?? []) {
      const known = seen.get(target);
      if (known === undefined) mark.lowest = Math.min(mark.lowest, visit(target).lowest);
      else if (open.includes(target)) mark.lowest = Math.min(mark.lowest, known.order);
    }
    if (mark.lowest === mark.order) {
      const circle = open.splice(open.indexOf(node));
      if (circle.length > 1) circles.push(circle.sort());
    }
    return mark;
  };

  for (const node of targets.keys()) if (!seen.has(node)) visit(node);
  return circles;
}
