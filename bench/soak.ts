import { writeFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import { mebibytes } from "./figures.ts";
import { lookUpOfBundles } from "./load.ts";
import { type Service, startOnEachEngine } from "./servers.ts";
import { type Memory, memoryPicture, memoryText, verdict, warmUpMinutes } from "./soak-memory.ts";

/**
 * `npm run soak -- --minutes 30`: look-ups and verifications at a steady pace on each engine, with the resident memory
 * of each service over time. The exit code is 0 if memory is flat, 1 if memory grows, and 2 if the run was too short.
 */
const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "30" },
    rate: { type: "string", default: "400" },
    svg: { type: "string" },
  },
});
const [minutes, rate] = [Number(values.minutes), Number(values.rate)];
const samplesEvery = 5000;
/** Minutes. */
const heldEvery = 5;
/** Callers that share the pace. */
const callers = 4;
const lookUps = [
  lookUpOfBundles,
  "/api/v2/internet/data/lookup",
  "/api/v2/corporate-data/list",
  "/api/v2/cable-tv/fetch-tv-add-ons?type=dstv&productCode=PRWFRNSE36",
  "/api/v2/internet/data/fetch-providers",
];
/** One request in ten is a verification. */
const oneInVerifies = 10;

console.log(
  `Soak of ${minutes} min: ${rate} requests a second on each engine, one in ${oneInVerifies} a verification.\n` +
    "Rule: flat if resident memory after a full collection of garbage is in the end at " +
    "most 5 % and 2 MiB above that at the end of " +
    `the warm-up of ${warmUpMinutes} min. By then the caches are full: SQLite's holds 16 MiB.\n`,
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
  const memory: Memory = { name, samples: [], held: [], requests: 0, failed: 0 };
  const started = performance.now();
  const minuteNow = () => (performance.now() - started) / 60_000;
  const pace = async (caller: number) => {
    let due = performance.now();
    for (let count = caller; performance.now() < end; count += callers) {
      due += (1000 * callers) / rate;
      await setTimeout(Math.max(0, due - performance.now()));
      const asked = count % oneInVerifies === 0 ? client.verify() : client.get(lookUps[count % lookUps.length]!);
      // A machine that is busy for a while loses responses, which this bench does not judge.
      await asked.catch(() => {
        memory.failed += 1;
      });
      memory.requests += 1;
    }
  };
  const watch = async () => {
    while (performance.now() < end) {
      const bytes = await duba.memory();
      memory.samples.push({ minute: minuteNow(), bytes });
      const next = warmUpMinutes + memory.held.length * heldEvery;
      if (minuteNow() >= next) {
        memory.held.push({ minute: minuteNow(), bytes: await duba.memoryHeld() });
        console.log(
          `${name}: ${mebibytes(bytes)} after ${next} min, ${mebibytes(memory.held.at(-1)!.bytes)} after a collection`,
        );
      }
      await setTimeout(Math.min(samplesEvery, Math.max(0, end - performance.now())));
    }
    memory.held.push({ minute: minuteNow(), bytes: await duba.memoryHeld() });
  };
  await Promise.all([...Array.from({ length: callers }, (_, caller) => pace(caller)), watch()]);
  return memory;
}
