/** Joins texts in Prometheus' format: the format wants all values of a metric under one heading. */
export function mergeMetrics(texts: readonly string[]): string {
  const metrics = new Map<string, { heading: string[]; values: string[] }>();
  for (const text of texts) {
    let current: { heading: string[]; values: string[] } | undefined;
    for (const line of text.split("\n")) {
      const name = /^# HELP (\S+)/.exec(line)?.[1];
      if (name !== undefined) {
        const known = metrics.get(name);
        current = known ?? { heading: [], values: [] };
        metrics.set(name, current);
      }
      if (line.startsWith("#")) {
        if (!current!.heading.includes(line)) current!.heading.push(line);
      } else if (line !== "") current!.values.push(line);
    }
  }
  return [...metrics.values()].map(({ heading, values }) => `${[...heading, ...values].join("\n")}\n`).join("\n");
}
