import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { freePort } from "../support/free-port.ts";

/** The name that the shipped examples serve. */
export const siteName = "duba.example";

export interface Certificate {
  text: string;
  /** Paths. */
  chain: string;
  key: string;
  /** Chain and key in one file. */
  both: string;
}

/** The folder, the port and the certificate of a proxy. */
interface Setup {
  place: string;
  port: number;
  certificate: Certificate;
}

/** A proxy with an example in deploy/proxy. `adapted` replaces ports and files, and shortens waits. */
interface ShippedProxy {
  name: string;
  program: string;
  file: string;
  /** Whether the proxy's response to a malformed request has Duba's form. */
  tellsMalformed: boolean;
  adapted: (example: string, setup: Setup) => string;
  args: (config: string) => string[];
}

/** The example with a second machine: in a `server` line of its own, or behind the first address. */
function withSecond(example: string, first: string, second: string): string {
  const server = new RegExp(`^ *server .*${RegExp.escape(first)}.*$`, "gm");
  if (!server.test(example)) return example.replaceAll(first, `${first} ${second}`);
  return example.replaceAll(server, (line) => `${line}\n${line.replace("duba1", "duba2").replace(first, second)}`);
}

export const proxies: readonly ShippedProxy[] = [
  {
    name: "nginx",
    program: "nginx",
    file: "nginx.conf",
    tellsMalformed: true,
    adapted: (example, { place, port, certificate }) => {
      const site = exchange(example, [
        ["listen 443 ssl http2;", `listen 127.0.0.1:${port} ssl http2;`],
        ["    listen [::]:443 ssl http2;\n", ""],
        ["/etc/ssl/duba/fullchain.pem", certificate.chain],
        ["/etc/ssl/duba/privkey.pem", certificate.key],
        ["/var/log/nginx/duba.log", join(place, "access.log")],
        ["proxy_read_timeout    30s", "proxy_read_timeout    1s"],
      ]);
      return `daemon off;\nuser root;\npid ${place}/pid;\nerror_log ${place}/error.log;\nevents {}\nhttp {\n${site}\n}\n`;
    },
    args: (config) => ["-c", config],
  },
  {
    name: "Caddy",
    program: "caddy",
    file: "Caddyfile",
    tellsMalformed: false,
    adapted: (example, { port, certificate }) =>
      exchange(example, [
        ["{\n\tservers {", "{\n\tadmin off\n\tauto_https off\n\tservers {"],
        [
          "duba.example {",
          `https://duba.example:${port} {\n\tbind 127.0.0.1\n\ttls ${certificate.chain} ${certificate.key}`,
        ],
        ["response_header_timeout 30s", "response_header_timeout 1s"],
      ]),
    args: (config) => ["run", "--config", config, "--adapter", "caddyfile"],
  },
  {
    name: "HAProxy",
    program: "haproxy",
    file: "haproxy.cfg",
    tellsMalformed: false,
    adapted: (example, { port, certificate }) =>
      exchange(example, [
        ["bind :443", `bind 127.0.0.1:${port}`],
        ["/etc/haproxy/duba.pem", certificate.both],
        ["timeout server 30s", "timeout server 1s"],
      ]),
    args: (config) => ["-f", config],
  },
];

export interface RunningProxy {
  port: number;
  end(): Promise<void>;
}

/** Runs a proxy by its shipped example before Duba on this port, or before two services on these ports. */
export async function startProxy(
  shipped: ShippedProxy,
  { place, certificate, duba }: { place: string; certificate: Certificate; duba: number | readonly [number, number] },
): Promise<RunningProxy> {
  const port = await freePort();
  const own = join(place, `${shipped.name}-${port}`);
  mkdirSync(own);
  const [first, second] = [duba].flat().map((port) => `127.0.0.1:${port}`);
  const one = readFileSync(`deploy/proxy/${shipped.file}`, "utf8").replaceAll("127.0.0.1:8080", first!);
  const example = second === undefined ? one : withSecond(one, first!, second);
  const config = join(own, shipped.file);
  writeFileSync(config, shipped.adapted(example, { place: own, port, certificate }));
  const child = spawn(shipped.program, shipped.args(config), {
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, XDG_DATA_HOME: own, XDG_CONFIG_HOME: own },
  });
  let errors = "";
  child.stderr!.on("data", (chunk) => {
    errors += chunk;
  });
  const end = () => ended(child);
  for (let tries = 0; !(await listens(port)); tries += 1) {
    if (child.exitCode !== null || tries > 200) {
      await end();
      throw new Error(`${shipped.name} did not start: ${errors}`);
    }
    await setTimeout(50);
  }
  return { port, end };
}

/** A certificate for `siteName` that signs itself. */
export function certify(place: string): Certificate {
  const [chain, key, both] = ["chain.pem", "key.pem", "both.pem"].map((file) => join(place, file)) as [
    string,
    string,
    string,
  ];
  const of = `-x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 -subj /CN=${siteName}`.split(" ");
  const names = ["-addext", `subjectAltName=DNS:${siteName}`];
  execFileSync("openssl", ["req", ...of, ...names, "-keyout", key, "-out", chain], { stdio: "ignore" });
  const text = readFileSync(chain, "utf8");
  writeFileSync(both, text + readFileSync(key, "utf8"));
  return { text, chain, key, both };
}

/** Whether a program is installed. */
export function has(program: string): boolean {
  return spawnSync("sh", ["-c", `command -v ${program}`]).status === 0;
}

function exchange(text: string, pairs: readonly (readonly [string, string])[]): string {
  return pairs.reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`The example does not hold: ${from}`);
    return text.replaceAll(from, to);
  }, text);
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGTERM");
  await once(child, "exit");
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => resolve(true));
    socket.once("error", () => resolve(false)).once("connect", () => socket.destroy());
  });
}
