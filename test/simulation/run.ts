import { randomBytes } from "node:crypto";
import { globSync, openSync, writeSync } from "node:fs";
import { enableCompileCache } from "node:module";
import { pathToFileURL } from "node:url";
import { Command, InvalidArgumentError, Option } from "commander";
import type { Engine } from "../support/engines.ts";
import { type FaultKind, faultKinds } from "./fault-kinds.ts";
import { RealMachine } from "./real-machine.ts";
import { Seed } from "./seed.ts";
import { VirtualTime } from "./virtual-time.ts";

// Each seed has its own process, and compiling the code takes as long as half a simulated day.
enableCompileCache("node_modules/.cache/compiled");

const engines = [{ name: "sqlite" }, { name: "postgres" }] as const;

const { engine, ...options } = new Command("npm run test:simulation --")
  .description(
    "Runs the whole service under a simulated clock, network and store: days in seconds, " +
      "and the same run for the same seed.",
  )
  .addOption(
    new Option("--engine <name>", "one of the engines; both unless given").choices(engines.map(({ name }) => name)),
  )
  .option("--seed <text>", "runs this seed only")
  .option("--seeds <count>", "runs so many seeds", countOf, 1)
  .option("--days <count>", "simulated days of each run", countOf, 3)
  .option("--faults <count>", "faults of each day", countOf, 7)
  .option("--verifications <count>", "verifications of each day", countOf, 680)
  .addOption(new Option("--only <fault>", "draws no other fault than this one").choices(faultKinds))
  .option("--requests <file>", "writes each request of the store and its reply, to compare two runs of one seed")
  .parse()
  .opts<{
    engine?: Engine["name"];
    seed?: string;
    only?: FaultKind;
    seeds: number;
    days: number;
    faults: number;
    verifications: number;
    requests?: string;
  }>();

const seeds = options.seed
  ? [options.seed]
  : Array.from({ length: options.seeds }, () => randomBytes(4).toString("hex"));
const chosen = engines.filter(({ name }) => engine === undefined || name === engine);

// A run replaces the clock and the random source of its process, so each of several runs gets its own process.
if (seeds.length * chosen.length > 1) {
  const { spawnSync } = await import("node:child_process");
  for (const seed of seeds)
    for (const { name } of chosen) {
      const { days, faults, verifications, only } = options;
      const given = { engine: name, seed, days, faults, verifications, ...(only && { only }) };
      const words = Object.entries(given).flatMap(([word, value]) => [`--${word}`, String(value)]);
      const { status } = spawnSync(process.execPath, [import.meta.filename, ...words], { stdio: "inherit" });
      if (status !== 0) process.exitCode = 1;
    }
} else await runOne(chosen[0]!.name, seeds[0]!);

async function runOne(name: Engine["name"], seed: string): Promise<void> {
  const { days, faults, verifications, only } = options;
  const drawn = new Seed(`${seed} ${name}`);
  // One of the last two days of a month, so that short runs cross into the next month.
  const begins = Date.UTC(2026, drawn.below(12) + 1, -drawn.below(2), 3, drawn.below(60), 0, drawn.below(1_000));
  const place = await (await import("../support/engines.ts")).engines.find((engine) => engine.name === name)!.ready();
  const machine = await RealMachine.take();
  await loadEverything();
  const { Simulation } = await import("./simulation.ts");
  const time = new VirtualTime(begins, drawn.of("random"), machine);
  const usual = `--engine ${name} --seed ${seed} --days ${days} --faults ${faults} --verifications ${verifications}`;
  const again = only ? `${usual} --only "${only}"` : usual;
  const begun = process.hrtime.bigint();
  const progress = (done: number) => process.stderr.isTTY && process.stderr.write(`\r${name}: day ${done} of ${days}`);
  const written = options.requests === undefined ? undefined : openSync(options.requests, "w");
  const requests = written === undefined ? undefined : (line: string) => void writeSync(written, `${line}\n`);
  const simulation = new Simulation(
    { engine: name, seed, days, faults, verifications, only, progress, requests },
    place,
    drawn,
    time,
  );
  const seconds = () => (Number(process.hrtime.bigint() - begun) / 1e9).toFixed(1);
  try {
    const figures = await simulation.run();
    console.log(`${again}: ${seconds()} s ${JSON.stringify(figures)}`);
    await place.dispose();
    process.exit(0);
  } catch (error) {
    await place.dispose().catch(() => undefined);
    console.error(
      `The simulation failed after ${seconds()} s. Repeat it with ${again}\n${simulation.lastHappenings.join("\n")}`,
    );
    console.error(error);
    process.exit(1);
  }
}

function countOf(text: string): number {
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new InvalidArgumentError("It must be a whole number above 0.");
  return Number(text);
}

/** Loads all modules first: the moment when a lazy import ends would not depend on the seed. */
async function loadEverything(): Promise<void> {
  const files = globSync("src/**/*.ts", {
    exclude: ["**/*.{test,fixture}.ts", "src/main.ts", "**/*worker*.ts", "src/runtime/threads/threaded.ts"],
  });
  for (const file of files) await import(pathToFileURL(file).href);
}
