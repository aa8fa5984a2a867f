import { Argument, Command, InvalidArgumentError } from "commander";
import { engines } from "../support/engines.ts";
import { missingTools, type Tool } from "./tools.ts";

export interface TrialOptions {
  rounds: number;
}

/** A trial: what it shows, the programs it needs, and its work, which gives the figures to print. */
interface Trial {
  about: string;
  needs: readonly Tool[];
  run(options: TrialOptions): Promise<object>;
}

const trials: Record<string, Trial> = {
  workers: {
    about: "workers that die or hang are replaced, and no request is lost to a restart",
    needs: [],
    run: async () => (await import("./workers.ts")).workerTrial(),
  },
  instances: {
    about: "two instances that start at once on one database, and what each learns of the other",
    needs: [],
    run: async () => (await import("./journeys.ts")).journeys(engines.find(({ name }) => name === "postgres")!),
  },
  crowds: {
    about:
      "5,000 idle connections, slow writers, callers who read nothing, and a flood, and what others notice of them",
    needs: [],
    run: async () => (await import("./crowds.ts")).crowdTrial(),
  },
  pgbouncer: {
    about: "the same through PgBouncer in transaction mode, and kills under load",
    needs: ["pgbouncer"],
    run: async (options) => (await import("./pgbouncer.ts")).pgbouncerTrial(options),
  },
  patroni: {
    about: "three PostgreSQL under Patroni, two instances, and a leader that is killed, stopped and cut off under load",
    needs: ["patroni", "etcd", "haproxy", "pg_rewind"],
    run: async (options) => (await import("./patroni-trial.ts")).patroniTrial(options),
  },
};

const program = new Command("npm run test:cluster --")
  .description(
    `Trials on engines of their own, and of several processes:\n${Object.entries(trials)
      .map(([name, { about }]) => `  ${name}: ${about}`)
      .join("\n")}`,
  )
  .addArgument(new Argument("[trials...]", "all unless named").choices(Object.keys(trials)))
  .option("--rounds <count>", "rounds of the trials that have some", countOf, 20)
  .parse();
const { args } = program;

for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
for (const [name, { about, needs, run }] of Object.entries(trials)) {
  if (args.length > 0 && !args.includes(name)) continue;
  console.log(`${name}: ${about}`);
  const missing = missingTools(needs);
  if (missing !== undefined) {
    console.error(`${name} did not run: ${missing}`);
    process.exitCode = 1;
    continue;
  }
  try {
    console.log(await run(program.opts<TrialOptions>()));
  } catch (error) {
    console.error(`${name} failed:`, error);
    process.exitCode = 1;
  }
}

function countOf(text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new InvalidArgumentError("It must be a whole number above 0.");
  return Number(text);
}
