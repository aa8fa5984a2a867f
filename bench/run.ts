import { availableParallelism, cpus, loadavg } from "node:os";
import { parseArgs } from "node:util";
import { capacity } from "./capacity.ts";
import { consolePages } from "./console.ts";
import { hotRows } from "./hot-rows.ts";
import { keys } from "./keys.ts";
import { ledger } from "./ledger.ts";
import { lookUps } from "./lookups.ts";
import { mixed } from "./mixed.ts";
import { peers } from "./peers.ts";
import { publishing } from "./publishing.ts";
import { routes } from "./routes.ts";
import { sizes } from "./sizes.ts";
import { start } from "./start.ts";
import { verifications } from "./verifications.ts";
import { workers } from "./workers.ts";

/**
 * `npm run bench`: runs and prints measurements. Figures depend on the machine; ratios less so. These parts run only by
 * name: `ledger` and `console` fill millions of rows, `peers` installs other servers, `sizes` and `capacity` take
 * minutes, `workers` and `hot-rows` need PostgreSQL, and `routes` measures no time.
 */
const parts = {
  lookups: lookUps,
  keys,
  publishing,
  start,
  verifications,
  mixed,
  ledger,
  peers,
  console: consolePages,
  sizes,
  capacity,
  workers,
  "hot-rows": hotRows,
  routes,
};
const onlyByName = ["ledger", "peers", "console", "sizes", "capacity", "workers", "hot-rows", "routes"];

/** Options that replace the usual pace of a part. */
export interface Pace {
  /** The commit that `lookups` and `verifications` pair this tree with. */
  against?: string | undefined;
  /** Starts of each server. */
  starts?: number | undefined;
  /** Seconds of each measurement. */
  seconds?: number | undefined;
  /** Seconds before the first measurement of a start. */
  warm?: number | undefined;
  /** Verifications a second that `capacity` derives for. */
  rate?: number | undefined;
  /** Months of verifications that `capacity` counts as stored. */
  months?: number | undefined;
}

const names = Object.keys(parts);
const { values, positionals: asked } = parseArgs({
  allowPositionals: true,
  options: {
    starts: { type: "string" },
    seconds: { type: "string" },
    warm: { type: "string" },
    rate: { type: "string" },
    months: { type: "string" },
    against: { type: "string" },
    help: { type: "boolean" },
  },
});
const { help, against, ...figures } = values;
const pace: Record<string, number> = Object.fromEntries(
  Object.entries(figures).map(([name, value]) => [name, Number(value)]),
);
const wrong = Object.entries(pace).find(([, value]) => !(Number.isInteger(value) && value > 0));
const unknown = asked.filter((name) => !names.includes(name));
const usage =
  `The parts of the bench are ${names.join(", ")}; without a name all run but ${onlyByName.join(", ")}. ` +
  "lookups, keys, peers and workers take --starts, --seconds and --warm, start takes --starts. " +
  "lookups and verifications --against COMMIT pair this tree with that commit's, in turn, " +
  "and take --starts and --seconds. capacity takes --rate, --months and --seconds, hot-rows --rate and --seconds.";
if (help) console.log(usage);
else if (unknown.length > 0 || wrong) {
  console.error(
    wrong ? `--${wrong[0]} takes a whole number above 0.` : `The bench has no part ${unknown.join(" ")}. ${usage}`,
  );
  process.exitCode = 2;
} else {
  console.log(`Node ${process.version}, ${availableParallelism()} × ${cpus()[0]?.model ?? "unknown CPU"}`);
  console.log(`Load of the machine before: ${loadavg()[0]!.toFixed(2)} (what else runs makes the figures worse)`);
  for (const [name, part] of Object.entries(parts))
    if (asked.length === 0 ? !onlyByName.includes(name) : asked.includes(name)) await part({ ...pace, against });
}
