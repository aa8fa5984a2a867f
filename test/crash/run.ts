import { randomBytes } from "node:crypto";
import { Command, InvalidArgumentError, Option } from "commander";
import { type Engine, engines } from "../support/engines.ts";
import { startOwnDatabase } from "./database.ts";
import { crash } from "./rounds.ts";

interface Options {
  engine?: Engine["name"];
  rounds: number;
  seed: string;
  calm?: true;
}

const { engine, rounds, seed, calm } = new Command("npm run test:crash --")
  .description("Kills the service under load and checks that ledger, vendor and clients agree in the end.")
  .addOption(
    new Option("--engine <name>", "one of the engines; both unless given").choices(engines.map(({ name }) => name)),
  )
  .option("--rounds <count>", "rounds on each engine", countOf, 200)
  .option("--seed <text>", "draws the same load, vendor and moments again; timing still differs", newSeed())
  .option("--calm", "lets every answer of the store through at once")
  .parse()
  .opts<Options>();

for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
for (const chosen of engines.filter(({ name }) => engine === undefined || name === engine)) {
  console.log(`${chosen.name}: ${rounds} rounds with --seed ${seed}`);
  try {
    console.log(await (chosen.name === "postgres" ? withOwnDatabase(chosen) : crash(optionsOf(chosen))));
  } catch (error) {
    console.error(`${chosen.name} failed with --seed ${seed}:`, error);
    process.exitCode = 1;
  }
}

function optionsOf(chosen: Engine) {
  return { engine: chosen, rounds, seed, disturbs: !calm, progress: (round: number) => tell(chosen.name, round) };
}

/** On a PostgreSQL of our own, since it is crashed too. */
async function withOwnDatabase(chosen: Engine) {
  const { url, crash: crashDatabase, stop } = await startOwnDatabase();
  process.env.DUBA_TEST_POSTGRES_URL = url;
  try {
    return await crash({ ...optionsOf(chosen), crashDatabase });
  } finally {
    await stop();
  }
}

function tell(name: string, round: number): void {
  const line = `${name}: ${round} of ${rounds}`;
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
