import { writeFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import { mebibytes } from "./figures.ts";
import { lookUpOfBundles } from "./load.ts";
import { type Service, startOnEachEngine } from "./servers.ts";
import { type Memory, memoryPicture, memoryText, verdict, warmUpMinutes } from "./soak-memory.ts";

/**
 * `npm run soak -- --minutes 30`: look-ups and verifications at a steady, low pace on each engine, and the resident memory of each
 * service over time. The exit code is 0 if memory is flat, 1 if it grows, 2 if the run was too short to tell.
 */
const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "30" },
    rate: { type: "string", default: "100" },
    svg: { type: "string" },
  },
});
const [minutes, rate] = [Number(values.minutes), Number(values.rate)];
const samplesEvery = 5000;
const lookUps = [
  lookUpOfBundles,
  "/api/v2/internet/data/lookup",
  "/api/v2/corporate-data/list",
  "/api/v2/cable-tv/fetch-tv-add-ons?type=dstv&productCode=PRWFRNSE36",
  "/api/v2/internet/data/fetch-providers",
];
/** One request in so many is a verification. */
const oneInVerifies = 10;

console.log(
  `Soak of ${minutes} min: ${rate} requests a second on each engine, one in ${oneInVerifies} a verification.\n` +
    `Rule: flat if the median of the last fifth is at most 5 % and 2 MiB above that of the first fifth, both after ${warmUpMinutes} min.\n`,
);
await using owner = new AsyncDisposableStack();
const services = await startOnEachEngine(owner, { DUBA_LIMITS: "off" });
const end = performance.now() + minutes * 60_000;
const memories = await Promise.all(services.map(soak));

for (const memory of memories) console.log(`${memoryText(memory)}\n`);
if (values.svg !== undefined) writeFileSync(values.svg, memoryPicture(memories));
const verdicts = memories.map(verdict);
process.exitCode = verdicts.includes("grows") ? 1 : verdicts.includes("too short") ? 2 : 0;

async function soak({ name, duba, client }: Service): Promise<Memory> {
  const memory: Memory = { name, samples: [], requests: 0 };
  const started = performance.now();
  const pace = async () => {
    let due = performance.now();
    for (let count = 0; performance.now() < end; count += 1) {
      due += 1000 / rate;
      await setTimeout(Math.max(0, due - performance.now()));
      await (count % oneInVerifies === 0 ? client.verify() : client.get(lookUps[count % lookUps.length]!));
      memory.requests += 1;
    }
  };
  const watch = async () => {
    while (performance.now() < end) {
      const bytes = await duba.memory();
      memory.samples.push({ minute: (performance.now() - started) / 60_000, bytes });
      if (memory.samples.length % 60 === 0)
        console.log(`${name}: ${mebibytes(bytes)} after ${memory.samples.at(-1)!.minute.toFixed(0)} min`);
      await setTimeout(Math.min(samplesEvery, Math.max(0, end - performance.now())));
    }
  };
  await Promise.all([pace(), watch()]);
  return memory;
}
