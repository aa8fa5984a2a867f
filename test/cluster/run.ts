import { Argument, Command, InvalidArgumentError } from "commander";
import { engines } from "../support/engines.ts";
import { missingTools, type Tool } from "./tools.ts";

export interface TrialOptions {
  rounds: number;
  logs?: string;
}

/** A trial: the promise that it tests, the programs that it needs, and its work, which returns the figures to print. */
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
  routes: {
    about:
      "500 callers, two processes and three vendors: shares, pauses, one bill an attempt under every policy, and kills",
    needs: [],
    run: async () => (await import("./routes/route-trial.ts")).routeTrial(),
  },
  "idle-connections": {
    about: "5,000 connections that say nothing, and what a caller notices of them",
    needs: [],
    run: async () => (await import("./faults/crowds.ts")).idleConnections(),
  },
  "slow-writers": {
    about: "500 callers who never finish their request",
    needs: [],
    run: async () => (await import("./faults/crowds.ts")).slowWriters(),
  },
  "slow-readers": {
    about: "200 callers who ask and read no answer",
    needs: [],
    run: async () => (await import("./faults/crowds.ts")).slowReaders(),
  },
  "malformed-requests": {
    about: "250,000 malformed requests at API, console and metrics from callers who reset, amid verifications",
    needs: [],
    run: async () => (await import("./faults/malformed-requests.ts")).malformedRequests(250_000),
  },
  "flood-of-wrong-keys": {
    about: "20 connections that send wrong keys as fast as they can",
    needs: [],
    run: async () => (await import("./faults/crowds.ts")).floodOfWrongKeys(),
  },
  "slow-database-link": {
    about: "a way to PostgreSQL that delays every byte",
    needs: [],
    run: async () => (await import("./faults/slow-database-link.ts")).slowDatabaseLink(),
  },
  "skewed-clock": {
    about: "two instances, one of which has a clock that is days or a year wrong",
    needs: ["libfaketime"],
    run: async () => (await import("./faults/skewed-clock.ts")).skewedClock(),
  },
  "full-disk": {
    about: "a disk that fills up under SQLite and under PostgreSQL; takes root",
    needs: [],
    run: async () => (await import("./faults/full-disk.ts")).fullDisk(),
  },
  pgbouncer: {
    about: "the same through PgBouncer in transaction mode, and kills under load",
    needs: ["pgbouncer"],
    run: async (options) => (await import("./pgbouncer.ts")).pgbouncerTrial(options),
  },
  distributed: {
    about:
      "PostgreSQL that plays an engine spread over machines: serializable, no order of numbers, no locks of its own",
    needs: [],
    run: async (options) => (await import("./distributed.ts")).distributedTrial(options),
  },
  "point-in-time": {
    about: "pgBackRest takes a store back to the moment before somebody emptied its ledger",
    needs: ["initdb", "postgres", "pgbackrest"],
    run: async () => (await import("./point-in-time.ts")).pointInTimeTrial(),
  },
  patroni: {
    about: "three PostgreSQL under Patroni, two instances, and a leader that is killed, stopped and cut off under load",
    needs: ["patroni", "etcd", "haproxy", "pg_rewind"],
    run: async (options) => (await import("./patroni-trial.ts")).patroniTrial(options),
  },
  replica: {
    about: "reports from a streaming replica that follows, is held back, and stands still",
    needs: ["patroni", "etcd", "haproxy", "pg_rewind"],
    run: async (options) => (await import("./replica.ts")).replicaTrial(options),
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
  .option("--logs <folder>", "keep there what the servers of a trial wrote")
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
    console.dir(await run(program.opts<TrialOptions>()), { depth: null });
  } catch (error) {
    console.error(`${name} failed:`, error);
    process.exitCode = 1;
  }
}

function countOf(text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new InvalidArgumentError("It must be a whole number above 0.");
  return Number(text);
}
