import { type Command, InvalidArgumentError, Option } from "commander";
import { readConfig } from "../../config/read-config.ts";
import { settings } from "../../config/settings.ts";
import { keyringPath, readKeyring } from "../../keyring/file.ts";
import { currentOf, type Keyring, matchKeyring, type RingKey } from "../../keyring/keyring.ts";
import type { KeyUsage } from "../../keyring/usage.ts";
import { duration } from "../../operation/setting.ts";
import type { Audited } from "../../storage/audited.ts";
import { examples, section, subcommand } from "../terminal/help.ts";
import { type Io, UsageFault } from "../terminal/io.ts";
import { settingOption, withOverrides } from "../terminal/options.ts";
import { progressBar } from "../terminal/progress.ts";
import { painter, table, timeOf } from "../terminal/table.ts";
import { withStore } from "../with-store.ts";

/** Serving processes read the file each second. A longer wait leaves time to copy it to other machines. */
const soonest = 5_000;

/** One statement reads the whole ledger, however long that takes. */
const wholeLedger = { patient: true };

/** A store and its key ring, which were checked to belong together. */
export interface StoreWithKeyring extends Audited {
  ring: Keyring;
  path: string;
}

/** Opens the store and its key ring, as the settings (or `--data`) name them, and closes the store after use. */
export async function withKeyring<Result>(
  io: Io,
  data: string | undefined,
  use: (ringed: StoreWithKeyring) => Promise<Result>,
  opening: { patient?: boolean } = {},
): Promise<Result> {
  const config = readConfig(withOverrides(io.environment, { DUBA_DATA: data }));
  const path = keyringPath(config);
  const ring = await readKeyring(path);
  return withStore(
    io,
    data,
    async (store) => {
      await matchKeyring(store.db, ring, Date.now());
      return use({ ...store, ring, path });
    },
    opening,
  );
}

/** `duba keyring`: the keys that seal records and hash BVNs. `ended` hears 1 when a record does not open. */
export function addKeyring(program: Command, io: Io, setExitCode: (exitCode: number) => void): void {
  const about = "Keys that seal records and hash BVNs: show, rotate, rewrap, retire.";
  const keyring = subcommand(program, "keyring", about);
  addShow(keyring, io);
  addRotate(keyring, io);
  addRewrap(keyring, io, setExitCode);
  addRetire(keyring, io);
  examples(keyring, "duba keyring show", "duba keyring rotate", "duba keyring rewrap", "duba keyring retire r1");
}

function addShow(keyring: Command, io: Io): void {
  const about =
    "List the keys, their start times, and the number of verifications that need each key. The command reads the whole ledger.";
  const command = subcommand(keyring, "show", about)
    .addOption(settingOption("--data <directory>", settings.dataDirectory))
    .option("--json", "print the keys as JSON")
    .action(async ({ data, json }: { data?: string; json?: true }) => {
      const keys = await withKeyring(
        io,
        data,
        async ({ db, ring }) => {
          const { keyUsage } = await import("../../keyring/usage.ts");
          return keysOf(ring, await keyUsage(db), Date.now());
        },
        wholeLedger,
      );
      if (json) return io.out(`${JSON.stringify(keys, null, 2)}\n`);
      io.out(
        table(
          keys.map(({ key, from, needed_by, ...facts }) => ({
            key,
            ...facts,
            from: from === null ? "the start" : timeOf(Date.parse(from)),
            "needed by": needed_by,
          })),
          painter(io.colours?.out),
        ),
      );
      const idle = keys.filter(({ state, needed_by }) => state === "old" && needed_by === 0).map(({ key }) => key);
      if (idle.length > 0) io.err(`Nothing needs ${idle.join(", ")} any more. See duba keyring retire.\n`);
    });
  examples(command, "duba keyring show", "duba keyring show --json");
}

function addRotate(keyring: Command, io: Io): void {
  const about =
    "Add a record key and a hash key to the key ring. They become current after a delay, so that all processes know them " +
    "before one uses them. If you have several machines, copy the file to all of them before that time.";
  const command = subcommand(keyring, "rotate", about)
    .option("--records", "Add only a record key. It encrypts records.")
    .option("--hashes", "Add only a hash key. It hashes BVNs, request bodies and idempotency keys.")
    .addOption(
      new Option("--in <time>", "Time until the new keys become current. Minimum: 5s.")
        .default(10_000, "10s")
        .argParser((text: string) => {
          const wait = duration.read(text);
          if (wait === undefined || wait < soonest)
            throw new InvalidArgumentError(`It must be ${duration.form}, and at least 5s.`);
          return wait;
        }),
    )
    .addOption(settingOption("--data <directory>", settings.dataDirectory))
    .action(async ({ records, hashes, in: wait, data }: RotateOptions) => {
      const both = !records && !hashes;
      const { added, from, path } = await withKeyring(io, data, async (ringed) => {
        const { rotate } = await import("../../keyring/rotate.ts");
        const which = { records: both || records === true, hashes: both || hashes === true };
        return { ...(await rotate(ringed, { ...which, wait, now: Date.now })), path: ringed.path };
      });
      io.out(`${added.join(" and ")} will be current from ${new Date(from).toISOString()}.\n`);
      io.err(`Copy ${path} to a safe place now. You cannot read later records without it.\n`);
    });
  examples(command, "duba keyring rotate", "duba keyring rotate --records --in 10min");
}

interface RotateOptions {
  records?: true;
  hashes?: true;
  in: number;
  data?: string;
}

function addRewrap(keyring: Command, io: Io, setExitCode: (exitCode: number) => void): void {
  const about =
    "Encrypt the key of each stored record with the current record key, so that you can retire older keys. You may stop the " +
    "command and run it again. The exit code is 1 if Duba cannot open a record.";
  const command = subcommand(keyring, "rewrap", about)
    .addOption(settingOption("--data <directory>", settings.dataDirectory))
    .action(async ({ data }: { data?: string }) => {
      const { rows, unreadable, key, rate } = await withKeyring(io, data, async ({ db, ring, audit, actor }) => {
        const now = Date.now();
        refuseWaiting(ring, now);
        const { countOutdated, rewrap } = await import("../../keyring/rewrap.ts");
        const key = currentOf(ring.records, now).id;
        const all = await countOutdated(db, ring, now);
        const progress = progressBar(io, "records");
        const done = await rewrap(db, ring, { now, progress: (rows) => progress.update(rows, all) }).finally(
          progress.clear,
        );
        const rate = progress.rate(done.rows);
        await audit(db, { kind: "keyring.rewrapped", actor, facts: { key, records: done.rows } });
        return { ...done, key, rate };
      });
      io.out(`${rows} records were moved to ${key}, ${rate} a second.\n`);
      if (unreadable.length === 0) return;
      io.err(`This key ring cannot open these records, so they did not change: ${unreadable.join(", ")}\n`);
      setExitCode(1);
    });
  examples(command, "duba keyring rewrap");
}

function addRetire(keyring: Command, io: Io): void {
  const about =
    "Remove a key that no verification needs. Duba refuses if a verification needs it, and in the first 5 minutes of its " +
    "successor. If you have several machines, copy the file to the others afterwards.";
  const command = subcommand(keyring, "retire", about)
    .argument("<key>", "Name of the key in `duba keyring show`.")
    .addOption(settingOption("--data <directory>", settings.dataDirectory))
    .action(async (name: string, { data }: { data?: string }) => {
      await withKeyring(
        io,
        data,
        async (ringed) => {
          const { retire } = await import("../../keyring/rotate.ts");
          await retire(ringed, name, Date.now());
        },
        wholeLedger,
      );
      io.out(`The key ${name} is retired.\n`);
    });
  section(command, "What to know:", [
    [
      "Copies",
      "Old copies of the key ring still contain the key. With one of them, a person can open the records in an old copy of the database.",
    ],
  ]);
  examples(command, "duba keyring retire r1");
}

function refuseWaiting({ records }: Keyring, now: number): void {
  const waiting = records.find(({ from = 0 }) => from > now);
  if (waiting)
    throw new UsageFault(
      `The key ${waiting.id} becomes current at ${new Date(waiting.from!).toISOString()}. Run rewrap after that.`,
    );
}

function keysOf({ records, hmac }: Keyring, usage: KeyUsage, now: number) {
  const [currentRecord, currentHash] = [currentOf(records, now), currentOf(hmac, now)];
  const shown = (key: string, purpose: string, { from }: RingKey, isCurrent: boolean, neededBy = 0) => ({
    key,
    for: purpose,
    from: from === undefined ? null : new Date(from).toISOString(),
    state: isCurrent ? "current" : (from ?? 0) > now ? "waiting" : "old",
    needed_by: neededBy,
  });
  return [
    ...records.map((key) => shown(key.id, "records", key, key === currentRecord, usage.records.get(key.id))),
    ...hmac.map((key) => shown(`v${key.version}`, "hashes", key, key === currentHash, usage.hashes.get(key.version))),
  ];
}
