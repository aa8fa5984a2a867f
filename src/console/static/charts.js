// Draws the charts of Now below their sums, and again every ten seconds.
const place = document.querySelector("[data-charts]");
const dashes = [[], [6, 3], [2, 3], [10, 3, 2, 3]];
const colours = () =>
  matchMedia("(prefers-color-scheme: dark)").matches
    ? { text: "#a3aeba", grid: "#2a323a", lines: ["#5fd0bf", "#8fb8ff", "#e6b450", "#ff9a90"] }
    : { text: "#515c68", grid: "#e3e8ec", lines: ["#0b6157", "#2456a6", "#7a4d00", "#a3211c"] };

const { zone } = place.dataset;
const clock = new Intl.DateTimeFormat("en-GB", { timeZone: zone, hour: "2-digit", minute: "2-digit" });
const clockTime = (seconds) => clock.format(seconds * 1000);

let drawn = [];

function draw(charts) {
  const { text, grid, lines } = colours();
  for (const chart of drawn) chart.destroy();
  const figures = [...place.querySelectorAll("figure")];
  drawn = charts.flatMap(({ times, series, figures: sums }, at) => {
    const figure = figures[at];
    figure.hidden = series.every(({ values }) => values.every((value) => !value));
    if (figure.hidden) return [];
    for (const [nth, sum] of figure.querySelectorAll("dd").entries()) sum.textContent = sums[nth].text;
    const axis = { stroke: text, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid, width: 1 } };
    const font = "12px system-ui, sans-serif";
    const options = {
      width: figure.clientWidth - 24,
      height: 180,
      tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), zone),
      axes: [
        { ...axis, font, values: (_, marks) => marks.map(clockTime), space: 64 },
        { ...axis, font, size: 52 },
      ],
      scales: { y: { range: (_, _low, high) => [0, Math.max(high ?? 1, 1) * 1.1] } },
      series: [
        { label: zone, value: (_, seconds) => (seconds === null ? "–" : clockTime(seconds)) },
        ...series.map(({ name, unit }, line) => ({
          label: name,
          stroke: lines[line],
          width: 2,
          dash: dashes[line],
          spanGaps: true,
          points: { show: unit === "ms", size: 5 },
          value: (_, value) => (value === null ? "–" : `${Math.round(value * 10) / 10}${unit === "ms" ? " ms" : ""}`),
        })),
      ],
      legend: { live: true },
    };
    const chart = new uPlot(options, [times, ...series.map(({ values }) => values)], figure);
    chart.root.setAttribute("aria-hidden", "true");
    return chart;
  });
}

let charts = [];
async function refresh() {
  const response = await fetch(place.dataset.charts);
  if (!response.ok) return;
  charts = await response.json();
  draw(charts);
}

refresh();
setInterval(() => {
  if (!document.hidden) refresh();
}, 10_000);
addEventListener("resize", () => draw(charts));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => draw(charts));
