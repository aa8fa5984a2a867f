import { randomBytes } from "node:crypto";
import { Command, InvalidArgumentError, Option } from "commander";
import { standIns } from "../../stand-ins/stand-ins.ts";
import { type Engine, engines } from "../support/engines.ts";
import { draw } from "../support/vendor-draw.ts";
import { startOwnDatabase } from "./database.ts";
import { type CrashOptions, crash } from "./rounds.ts";

interface Options {
  engine?: Engine["name"];
  vendor?: string;
  rounds: number;
  seed: string;
  calm?: true;
}

const withStandIn = Object.keys(standIns);
const { engine, vendor, rounds, seed, calm } = new Command("npm run test:crash --")
  .description("Kills the service under load and checks that ledger, vendor and clients agree in the end.")
  .addOption(
    new Option("--engine <name>", "one of the engines; both unless given").choices(engines.map(({ name }) => name)),
  )
  .addOption(
    new Option(
      "--vendor <name>",
      "peer: another Duba; else the stand-in of this vendor, whose bill must agree too. " +
        "Unless given, peer and a stand-in that the seed draws",
    ).choices(["peer", ...withStandIn]),
  )
  .option("--rounds <count>", "rounds on each engine with each vendor", countOf, 100)
  .option("--seed <text>", "draws the same load, vendor and moments again; timing still differs", newSeed())
  .option("--calm", "lets every answer of the store through at once")
  .parse()
  .opts<Options>();

for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
const drawn = withStandIn[draw(seed, "stand-in", withStandIn.length)]!;
for (const chosen of engines.filter(({ name }) => engine === undefined || name === engine))
  for (const asked of vendor ? [vendor] : ["peer", drawn]) {
    const trial = `${chosen.name} with ${asked}`;
    const again = `--engine ${chosen.name} --vendor ${asked} --seed ${seed}`;
    console.log(`${trial}: ${rounds} rounds with ${again}`);
    const progress = (round: number) => tell(trial, round);
    const options = { engine: chosen, vendor: asked, rounds, seed, disturbs: !calm, progress };
    try {
      console.log(await (chosen.name === "postgres" ? withOwnDatabase(options) : crash(options)));
    } catch (error) {
      console.error(`${trial} failed with ${again}:`, error);
      process.exitCode = 1;
    }
  }

/** Uses a PostgreSQL of its own, because the trial also crashes the database. */
async function withOwnDatabase(options: CrashOptions) {
  const { url, crash: crashDatabase, stop } = await startOwnDatabase();
  process.env.DUBA_TEST_POSTGRES_URL = url;
  try {
    return await crash({ ...options, crashDatabase });
  } finally {
    await stop();
  }
}

function tell(trial: string, round: number): void {
  const line = `${trial}: ${round} of ${rounds}`;
  if (process.stderr.isTTY) process.stderr.write(`\r${line}${round === rounds ? "\n" : ""}`);
  else if (round % 20 === 0) process.stderr.write(`${line}\n`);
}

function countOf(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError("It must be a whole number above 0.");
  return Number(text);
}

function newSeed(): string {
  return randomBytes(4).toString("hex");
}
