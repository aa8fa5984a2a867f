import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { withBlock } from "../test/support/blocks.ts";
import { engines } from "../test/support/engines.ts";
import { startChild } from "./child.ts";
import { canPin, isInstalled, serverCore } from "./cores.ts";
import { median, table } from "./figures.ts";
import { generator, load, lookUpOfBundles } from "./load.ts";
import { type Figures, peersPicture } from "./peers-picture.ts";
import { type Running, startCommand, startServe } from "./process-tree.ts";
import type { Pace } from "./run.ts";
import { answersOf, startService } from "./servers.ts";

const folder = fileURLToPath(new URL("peers", import.meta.url));
const corporate = "/api/v2/corporate-data/list";
const picture = "docs/look-ups.svg";
const page = "bench/README.md";

/** A row of the comparison. */
interface Peer {
  name: string;
  /** What it does for each response. */
  does: string;
  start(): Promise<Running>;
  /** The peer's own paths of the two look-ups, where the peer cannot serve the paths of the interface. */
  paths?: readonly string[];
}

/** The files from which the servers make their responses. */
interface Prepared {
  directory: string;
  answers: string;
}

/**
 * Measures the two look-ups on Duba and on the servers that a user could choose in place of Duba. Writes the table of
 * `bench/README.md` and a picture.
 */
export async function peers({ starts = 3, seconds = 3, warm = 3 }: Pace): Promise<void> {
  install();
  await using owner = new AsyncDisposableStack();
  const directory = owner.adopt(mkdtempSync(join(tmpdir(), "duba-peers-")), (one) => rmSync(one, { recursive: true }));
  const rows = rowsOf(await prepare(directory));
  const shown = rows.map((): { rate: number; cpu: number }[][] => []);
  const said = new Set<string>();
  for (let start = 1; start <= starts; start += 1)
    for (const [at, { name, start: begin, paths = [corporate, lookUpOfBundles] }] of rows.entries())
      try {
        await using server = await begin();
        shown[at]!.push(await measure(server, paths, seconds, warm));
      } catch (error) {
        if (!said.has(name)) console.log(`  ${name} is left out: ${(error as Error).message}`);
        said.add(name);
      }
  const measured = rows
    .map(({ name, does }, at): Figures => {
      const of = (path: number, figure: "rate" | "cpu") => median(shown[at]!.map((one) => one[path]![figure]));
      return { name, does, rates: [of(0, "rate"), of(1, "rate")], cpu: [of(0, "cpu"), of(1, "cpu")] };
    })
    .filter(({ rates }) => rates.every((rate) => rate > 0));
  const words = `Measured ${new Date().toISOString().slice(0, 10)} with \`npm run bench -- peers\` on ${cpus().length} × ${cpus()[0]?.model.trim()}, Node ${process.version}; ${starts} starts of each server in turn, each warmed ${2 * Math.ceil(warm / 2)} s and measured ${seconds} s for each look-up, medians. Load: ${generator}, 64 connections${canPin ? `; servers on core ${serverCore}` : ""}.`;
  write(measured, words);
}

async function measure(server: Running, paths: readonly string[], seconds: number, warm: number) {
  for (const path of paths) await load(server.url + path, Math.ceil(warm / paths.length));
  const shown: { rate: number; cpu: number }[] = [];
  for (const path of paths) {
    const before = await server.cpu();
    const { responses, rate } = await load(server.url + path, seconds);
    shown.push({ rate, cpu: ((await server.cpu()) - before) / responses });
  }
  return shown;
}

/** Installs the peers below `bench` on first use. */
function install(): void {
  if (existsSync(join(folder, "node_modules"))) return;
  console.log("  Installing the peers into bench/peers (once).");
  const options = ["install", "--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts", "--workspaces=false"];
  const { status } = spawnSync("npm", options, { cwd: folder, stdio: "inherit" });
  if (status !== 0) throw new Error("npm could not install the peers.");
}

async function prepare(directory: string): Promise<Prepared> {
  await using service = await startService(await engines[0]!.fresh());
  const [ofCorporate, ofBundles] = await Promise.all(
    [corporate, lookUpOfBundles].map(async (path) => JSON.parse((await service.client.get(path)).body.toString())),
  );
  const all = JSON.parse((await service.client.get("/api/v2/internet/data/lookup")).body.toString());
  const put = (file: string, value: unknown) => writeFileSync(join(directory, file), JSON.stringify(value));
  put("catalogue.json", { bundles: all.data.data, corporate: ofCorporate.data });
  put("json-server.json", { corporate: ofCorporate, bundles: ofBundles });
  put("corporate.json", ofCorporate);
  put("bundles.json", ofBundles);
  const mocked = (example: unknown) => ({
    get: { responses: { 200: { description: "OK", content: { "application/json": { schema: {}, example } } } } },
  });
  const paths = { [corporate]: mocked(ofCorporate), [lookUpOfBundles.split("?")[0]!]: mocked(ofBundles) };
  put("prism.json", { openapi: "3.1.0", info: { title: "Look-ups", version: "1" }, paths });
  return { directory, answers: await answersOf(service, [corporate, lookUpOfBundles]) };
}

function rowsOf({ directory, answers }: Prepared): Peer[] {
  const node = process.execPath;
  const file = (name: string) => join(directory, name);
  const versionOf = (name: string) =>
    JSON.parse(readFileSync(join(folder, "node_modules", name, "package.json"), "utf8")).version;
  const named = (title: string, name: string) => `${title} ${versionOf(name)}`;
  const started = (command: (port: number) => string[], environment = {}, path = corporate, core?: number) =>
    startCommand(
      command,
      path,
      (port) => ({ PORT: String(port), CATALOGUE: file("catalogue.json"), ...environment }),
      core,
    );
  const script =
    (name: string, ...options: string[]) =>
    () =>
      started(() => [node, join(folder, name), ...options], {}, corporate, serverCore);
  const bin = (name: string) => join(folder, "node_modules/.bin", name);
  const duba = async (engine: number, environment: Record<string, string>, core?: number) =>
    startServe(await engines[engine]!.fresh(), corporate, environment, core);
  const made = "makes and serialises the answer each time";
  const everything = "credential, limit, request id, counters, ETag, bytes of a snapshot";
  const nginx = existsSync("/usr/sbin/nginx") ? "/usr/sbin/nginx" : "nginx";
  const rows: Peer[] = [
    { name: "Duba", does: everything, start: () => duba(0, {}, serverCore) },
    {
      name: "Duba, DUBA_WORKERS=2, PostgreSQL",
      does: `${everything}; on both cores, one of which it shares with the load`,
      start: () => duba(1, { DUBA_WORKERS: "2" }),
    },
    {
      name: "node:http",
      does: "writes bytes that are ready",
      start: () => startChild("bare.ts", {}, answers, serverCore),
    },
    { name: named("Fastify", "fastify"), does: made, start: script("fastify.mjs") },
    { name: named("Express", "express"), does: made, start: script("express.mjs") },
    { name: `${named("NestJS", "@nestjs/core")}, Fastify`, does: made, start: script("nest.mjs", "fastify") },
    { name: `${named("NestJS", "@nestjs/core")}, Express`, does: made, start: script("nest.mjs", "express") },
    {
      name: named("Prism", "@stoplight/prism-cli"),
      does: "mocks an OpenAPI document with these answers as examples; checks the request, logs each",
      start: () =>
        started(
          (port) => [node, bin("prism"), "mock", "-h", "127.0.0.1", "-p", String(port), file("prism.json")],
          {},
          corporate,
          serverCore,
        ),
    },
    {
      name: named("json-server", "json-server"),
      does: "serves a JSON file, at paths of its own",
      paths: ["/corporate", "/bundles"],
      start: () =>
        started(
          (port) => [
            node,
            bin("json-server"),
            "--quiet",
            "--host",
            "127.0.0.1",
            "--port",
            String(port),
            file("json-server.json"),
          ],
          {},
          "/corporate",
          serverCore,
        ),
    },
  ];
  if (!isInstalled(nginx, "-v")) {
    console.log("  nginx is left out: it is not installed.");
    return rows;
  }
  const version = /nginx\/(\S+)/.exec(spawnSync(nginx, ["-v"], { encoding: "utf8" }).stderr)?.[1] ?? "";
  rows.push({
    name: `nginx ${version}`,
    does: "static files, one worker: the ceiling",
    start: () =>
      started(
        (port) => {
          writeFileSync(file(`nginx-${port}.conf`), nginxSettings(directory, port));
          return [nginx, "-c", file(`nginx-${port}.conf`)];
        },
        {},
        corporate,
        serverCore,
      ),
  });
  return rows;
}

function nginxSettings(directory: string, port: number): string {
  const served = (path: string, name: string) =>
    `location = ${path} { default_type application/json; alias ${join(directory, name)}; }`;
  const own = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (of) => `${of}_temp_path ${join(directory, of)};`,
  );
  return `daemon off; worker_processes 1; user root; pid ${join(directory, "nginx.pid")}; error_log stderr crit;
events { worker_connections 1024; }
http {
  access_log off; keepalive_requests 1000000000; sendfile on; tcp_nopush on; open_file_cache max=10; ${own.join(" ")}
  server {
    listen 127.0.0.1:${port};
    ${served(corporate, "corporate.json")}
    ${served(lookUpOfBundles.split("?")[0]!, "bundles.json")}
  }
}
`;
}

/** Prints the figures, writes the table into `bench/README.md`, and draws the picture. */
function write(measured: readonly Figures[], words: string): void {
  const bare = measured.find(({ name }) => name === "node:http");
  const heading = ["server", "1.6 KB/s", "of bare", "4.4 KB/s", "of bare", "µs CPU", "for each answer it"];
  const rows = measured.map(({ name, does, rates, cpu }) => [
    name,
    ...rates.flatMap((rate, at) => [
      Math.round(rate).toLocaleString("en"),
      bare ? (rate / bare.rates[at]!).toFixed(2) : "–",
    ]),
    cpu.map((one) => (Number.isNaN(one) ? "–" : one.toFixed(0))).join(" / "),
    does,
  ]);
  console.log(`\n${table([heading.slice(0, 6), ...rows.map((row) => row.slice(0, 6))])}\n\n  ${words}`);
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const block = [
    `![Look-ups a second](../${picture})`,
    "",
    line(heading),
    line(heading.map((_, at) => (at === 0 || at === heading.length - 1 ? "---" : "---:"))),
    ...rows.map(line),
    "",
    words,
  ].join("\n");
  writeFileSync(page, withBlock(readFileSync(page, "utf8"), "peers", block));
  writeFileSync(picture, peersPicture(measured));
  console.log(`  Wrote the table into ${page}, and ${picture}.`);
}
