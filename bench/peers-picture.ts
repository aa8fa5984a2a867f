/** A row of the comparison, medians. */
export interface Figures {
  name: string;
  does: string;
  /** Answers a second, of the two look-ups. */
  rates: readonly [number, number];
  /** Microseconds a response. */
  cpu: readonly [number, number];
}

const width = 840;
const left = 320;
const rowHeight = 38;
const top = 58;

/** The comparison as bars, as SVG. */
export function peersPicture(measured: readonly Figures[]): string {
  const most = Math.max(...measured.flatMap(({ rates }) => rates));
  const scale = (rate: number) => (rate / most) * (width - left - 80);
  const bar = (rate: number, y: number, of: "small" | "large") => `
  <rect class="${of}" x="${left}" y="${y}" width="${scale(rate).toFixed(1)}" height="13"/>
  <text class="figure" x="${(left + scale(rate) + 6).toFixed(1)}" y="${y + 11}">${Math.round(rate).toLocaleString("en")}</text>`;
  const rows = measured.map(({ name, rates }, at) => {
    const y = top + at * rowHeight;
    const isOurs = name.startsWith("Duba");
    return `
  <text class="${isOurs ? "name ours" : "name"}" x="${left - 10}" y="${y + 19}">${escaped(name)}</text>${bar(rates[0], y, "small")}${bar(rates[1], y + 15, "large")}`;
  });
  const height = top + measured.length * rowHeight + 8;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="Look-ups a second of each server">
  <style>
    text { font: 13px system-ui, sans-serif; fill: #1f2328 }
    .name { text-anchor: end } .ours, .title { font-weight: 600 } .figure { font-size: 11px }
    .small { fill: #1a7f5a } .large { fill: #7cc4a5 }
    @media (prefers-color-scheme: dark) { text { fill: #e6edf3 } .small { fill: #3fb68b } .large { fill: #256b52 } }
  </style>
  <text class="title" x="12" y="22">Look-ups a second, one core for the server unless said</text>
  <rect class="small" x="${left}" y="34" width="12" height="12"/><text class="figure" x="${left + 18}" y="44">corporate bundles, 1.6 KB</text>
  <rect class="large" x="${left + 180}" y="34" width="12" height="12"/><text class="figure" x="${left + 198}" y="44">bundles of one provider, 4.4 KB</text>${rows.join("")}
</svg>
`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
