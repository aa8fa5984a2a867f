import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, cpSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { openStore, type Store } from "../../src/storage/store.ts";
import { type Engine, engines, type FreshSettings } from "./engines.ts";
import { type Manner, PostgresDoor } from "./postgres-door.ts";
import { nodeEnvironment } from "./process.ts";
import { ask, startService } from "./service.ts";
import { until } from "./until.ts";

/** A service whose store can fail and recover. */
export interface Stage {
  port: number;
  /** A connection to the service's store that the fault does not touch. */
  direct: Store;
  begin(): Promise<void> | void;
  end(): Promise<void> | void;
  close(): Promise<void>;
}

export interface Fault {
  name: string;
  /** The reason if this machine cannot produce the fault, else false. */
  unfit: string | false;
  open(environment: Record<string, string>): Promise<Stage>;
}

type Ends = Pick<Stage, "begin" | "end">;

const [sqlite, postgres] = engines as [Engine, Engine];

/** Runs a service in this process on the store at `settings`, which `dispose` removes. */
async function inProcess(
  environment: Record<string, string>,
  settings: FreshSettings,
  dispose: () => Promise<void>,
  { begin, end }: Ends,
  directly: FreshSettings = settings,
): Promise<Stage> {
  const service = await startService(
    environment,
    { ...sqlite, ready: async () => ({ settings, dispose }) },
    { hurries: true },
  );
  const direct = await openStore({ ...directly, serving: false });
  return {
    port: service.port,
    direct,
    begin,
    end,
    async close() {
      await direct.close();
      await service.close();
    },
  };
}

const databaseIn = ({ dataDirectory }: FreshSettings) => join(dataDirectory, "duba.db");

/** Another process holds the write lock. */
async function locked(environment: Record<string, string>): Promise<Stage> {
  const { settings, dispose } = await sqlite.ready();
  let other: DatabaseSync;
  return await inProcess(environment, settings, dispose, {
    async begin() {
      other = new DatabaseSync(databaseIn(settings), { timeout: 0 });
      // The service may hold the lock in a transaction. We wait asynchronously, so that the transaction can end.
      await until(() => hasWriteLock(other));
    },
    end: () => void other.close(),
  });
}

function hasWriteLock(database: DatabaseSync): boolean {
  try {
    database.exec("BEGIN IMMEDIATE");
    return true;
  } catch {
    return false;
  }
}

/** A small file system, filled to the last byte. */
async function fullDisk(environment: Record<string, string>): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), "duba-full-"));
  mount(folder);
  const dispose = async () => {
    spawnSync("umount", [folder]);
    rmSync(folder, { recursive: true });
  };
  const junk = join(folder, "junk");
  return await inProcess(environment, { dataDirectory: join(folder, "data") }, dispose, {
    begin() {
      for (const size of [65_536, 4096, 1]) while (grew(junk, size));
    },
    end: () => rmSync(junk),
  });
}

function grew(path: string, bytes: number): boolean {
  try {
    writeFileSync(path, Buffer.alloc(bytes), { flag: "a" });
    return true;
  } catch {
    return false;
  }
}

function mount(folder: string): string | false {
  const { status, stderr, error } = spawnSync("mount", ["-t", "tmpfs", "-o", "size=8m", "tmpfs", folder]);
  return status === 0
    ? false
    : `no file system can be mounted here: ${error?.message ?? String(stderr).split("\n")[0]}`;
}

function mountless(): string | false {
  const folder = mkdtempSync(join(tmpdir(), "duba-mount-"));
  const reason = mount(folder);
  if (reason === false) spawnSync("umount", [folder]);
  rmSync(folder, { recursive: true });
  return reason;
}

const setImmutable = (sign: "+" | "-", files: string[]) => spawnSync("chattr", [`${sign}i`, ...files]);

/** The database files become read-only, even for open file descriptors. */
async function readOnlyFiles(environment: Record<string, string>): Promise<Stage> {
  const ready = await sqlite.ready();
  // Files in memory cannot be made immutable.
  const settings = { dataDirectory: mkdtempSync(join(tmpdir(), "duba-immutable-")) };
  cpSync(ready.settings.dataDirectory, settings.dataDirectory, { recursive: true });
  const dispose = async () => {
    await ready.dispose();
    rmSync(settings.dataDirectory, { recursive: true, force: true });
  };
  const files = [databaseIn(settings), `${databaseIn(settings)}-wal`];
  return await inProcess(environment, settings, dispose, {
    begin: () => void setImmutable("+", files),
    end: () => void setImmutable("-", files),
  });
}

function alwaysWritable(): string | false {
  const folder = mkdtempSync(join(tmpdir(), "duba-immutable-"));
  const file = join(folder, "file");
  const descriptor = openSync(file, "w");
  try {
    setImmutable("+", [file]);
    writeSync(descriptor, "x");
    return "no open file can be made read-only here: that takes root, chattr and a file system such as ext4";
  } catch {
    return false;
  } finally {
    setImmutable("-", [file]);
    closeSync(descriptor);
    rmSync(folder, { recursive: true });
  }
}

/**
 * A process with a file size limit of 1 MiB (2 MiB in shells that count in KiB). Another process has grown the
 * write-ahead log beyond that limit, until the log is emptied.
 */
async function limitedFiles(environment: Record<string, string>): Promise<Stage> {
  const { settings, dispose } = await sqlite.ready();
  const child = spawn("sh", ["-c", 'ulimit -S -f 2048; exec "$0" src/main.ts serve', process.execPath], {
    env: { ...nodeEnvironment, HOST: "127.0.0.1", PORT: "0", DUBA_DATA: settings.dataDirectory, ...environment },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  let out = "";
  while (!out.includes('"msg":"ready"')) out += (await once(child.stdout, "data"))[0];
  child.stdout.resume();
  const port = Number(/127\.0\.0\.1:(\d+)/.exec(out)![1]);
  const direct = await openStore({ ...settings, serving: false });
  const other = new DatabaseSync(databaseIn(settings), { timeout: 5000 });
  other.exec("insert into fact (name, value, created_at) values ('ballast', '', 0)");
  const grow = other.prepare("update fact set value = ? where name = 'ballast'");
  const isReady = async () => (await ask(port, "/readyz", { credential: false })).status === 200;
  return {
    port,
    direct,
    async begin() {
      // 2.5 MB: above the process's limit, and below the size at which SQLite empties the log itself.
      for (let part = 0; part < 25; part += 1) grow.run(String(part % 10).repeat(100_000));
      await until(async () => !(await isReady()));
    },
    end() {
      for (;;) {
        const { busy } = other.prepare("pragma wal_checkpoint(TRUNCATE)").get()!;
        if (busy === 0) return;
      }
    },
    async close() {
      other.close();
      await direct.close();
      child.kill("SIGTERM");
      await ended;
      for (const file of [".keyring", ".keyring.anchor"]) rmSync(`${settings.dataDirectory}${file}`, { force: true });
      await dispose();
    },
  };
}

function shellless(): string | false {
  return process.platform === "win32" && "no process can be told here how large its files may be";
}

/** The connection to the server fails. */
function behindDoor(manner: Manner) {
  return async (environment: Record<string, string>): Promise<Stage> => {
    const { settings, dispose } = await postgres.ready();
    const door = await PostgresDoor.open(settings.databaseUrl!);
    const close = async () => {
      await door.close();
      await dispose();
    };
    const ends = { begin: () => door.become(manner), end: () => door.become("open") };
    return await inProcess(environment, { ...settings, databaseUrl: door.url }, close, ends, settings);
  };
}

/** The server itself fails: `begin` are the statements that cause it, `end` those that undo it. */
function onServer(statements: (database: string) => { begin: string[]; end: string[] }) {
  return async (environment: Record<string, string>): Promise<Stage> => {
    const { settings, dispose } = await postgres.ready();
    const { begin, end } = statements(new URL(settings.databaseUrl!).pathname.slice(1));
    const run = async (statements: string[]) => {
      const client = new pg.Client({ connectionString: settings.databaseUrl });
      await client.connect();
      for (const statement of statements) await client.query(statement);
      await client.end();
    };
    return await inProcess(environment, settings, dispose, { begin: () => run(begin), end: () => run(end) });
  };
}

const noRoom = onServer(() => ({
  begin: [
    "create function no_room() returns trigger language plpgsql as 'begin raise exception " +
      "using errcode = ''53100''; end'",
    ...["verification", "verification_owner", "fact"].map(
      (table) => `create trigger no_room before insert or update on ${table} execute function no_room()`,
    ),
  ],
  end: ["drop function no_room cascade"],
}));

const readOnly = onServer((database) => ({
  begin: [
    `alter database ${database} set default_transaction_read_only = on`,
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${database}' and pid <> pg_backend_pid()`,
  ],
  end: ["set default_transaction_read_only = off", `alter database ${database} reset default_transaction_read_only`],
}));

/** The simplest fault, for tests that look at one long outage. */
export const outage: Fault = { name: "PostgreSQL, stopped", unfit: false, open: behindDoor("refuse") };

export const faults: readonly Fault[] = [
  { name: "SQLite, locked by another process", unfit: false, open: locked },
  { name: "SQLite, on a full disk", unfit: mountless(), open: fullDisk },
  { name: "SQLite, with files that can grow no more", unfit: shellless(), open: limitedFiles },
  { name: "SQLite, with files made read-only", unfit: alwaysWritable(), open: readOnlyFiles },
  outage,
  { name: "PostgreSQL that breaks off every connection", unfit: false, open: behindDoor("reset") },
  { name: "PostgreSQL that hears nothing", unfit: false, open: behindDoor("holdRequests") },
  { name: "PostgreSQL that does its work and says nothing", unfit: false, open: behindDoor("holdAnswers") },
  { name: "PostgreSQL, on a full disk", unfit: false, open: noRoom },
  { name: "PostgreSQL that became read-only", unfit: false, open: readOnly },
];
